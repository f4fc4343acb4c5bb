package org.rowlock.examples.shop.load;

/** Reads system properties. Maven passes every property on, so a property that was not set is empty. */
final class Settings {
    private Settings() {}

    static int number(String property, int otherwise) {
        String text = System.getProperty(property, "");
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The exception below reports the text.
        }
        throw new IllegalArgumentException("-D" + property + "=" + text + " is no number of at least 1");
    }
}
