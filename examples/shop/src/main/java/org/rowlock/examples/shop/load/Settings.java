package org.rowlock.examples.shop.load;

/** Reads system properties, which may be empty because Maven passes them on. */
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
            // Reported below.
        }
        throw new IllegalArgumentException("-D" + property + "=" + text + " is no number of at least 1");
    }
}
