package org.rowlock.examples.demo;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the user may choose, as system properties. An empty one counts as not given, since the build hands all of them
 * on.
 *
 * @param url the JDBC URL of the user's own server, or null for an embedded one
 * @param user the user name, or null for what the URL or the driver says
 * @param password the password, or null for what the URL says
 * @param perVariant how long each variant is measured, all rounds together
 * @param clients how many threads move money, each with a connection
 */
record DemoSettings(
        @Nullable String url,
        @Nullable String user,
        @Nullable String password,
        Duration perVariant,
        int clients) {
    static final String URL = "rowlock.url";
    static final String USER = "rowlock.user";
    static final String PASSWORD = "rowlock.password";
    static final String SECONDS = "rowlock.demo.seconds";
    static final String CLIENTS = "rowlock.demo.clients";

    /** Six variants, a warm-up and the server's start fit into two minutes. */
    private static final int DEFAULT_SECONDS = 8;

    private static final int MOST_SECONDS = 3_600;
    private static final int DEFAULT_CLIENTS = 64;
    private static final int MOST_CLIENTS = 1_000;

    /**
     * Reads the settings.
     *
     * @param properties a value per name, or null: {@code System::getProperty}
     * @return the settings
     * @throws DemoException if a number is none or out of its range
     */
    static DemoSettings from(Function<String, @Nullable String> properties) {
        return new DemoSettings(
                given(properties, URL),
                given(properties, USER),
                given(properties, PASSWORD),
                Duration.ofSeconds(number(properties, SECONDS, DEFAULT_SECONDS, MOST_SECONDS)),
                number(properties, CLIENTS, DEFAULT_CLIENTS, MOST_CLIENTS));
    }

    private static @Nullable String given(Function<String, @Nullable String> properties, String name) {
        String value = properties.apply(name);
        return value == null || value.isEmpty() ? null : value;
    }

    private static int number(Function<String, @Nullable String> properties, String name, int otherwise, int most) {
        String value = given(properties, name);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value.strip());
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw notInRange(name, value, otherwise, most, e);
        }
        throw notInRange(name, value, otherwise, most, null);
    }

    private static DemoException notInRange(
            String name, String value, int otherwise, int most, @Nullable NumberFormatException cause) {
        return new DemoException(
                "-D" + name + "=" + value + " is not a whole number from 1 to " + most
                        + "; give one, or leave it out for " + otherwise + ".",
                cause);
    }
}
