package org.rowlock.examples.shop.load;

/** Reads system properties. An empty property counts as not set. */
final class Settings {
    private Settings() {}

    static int number(String property, int otherwise) {
        String text = System.getProperty(property, "");
        if (text.isEmpty()) {
            return otherwise;
        }
        if (text.matches("[1-9]\\d{0,8}")) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("-D" + property + "=" + text + " is not a number of at least 1");
    }
}
