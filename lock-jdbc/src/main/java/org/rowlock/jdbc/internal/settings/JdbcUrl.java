package org.rowlock.jdbc.internal.settings;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.SqlState;

/**
 * A URL of the drop-in, taken apart.
 *
 * @param url what the driver that it names is given
 * @param properties the same, without ours
 */
public record JdbcUrl(String url, Properties properties, JdbcSettings settings) {
    private static final String PREFIX = "jdbc:rowlock:";

    /**
     * The driver's own URL, or that of drivers in front of it: {@code aws-wrapper:postgresql:..},
     * {@code tc:postgresql:18:..}.
     */
    private static final Pattern URL = Pattern.compile(PREFIX + "([a-z][a-z0-9_-]*:)*?postgresql:.*", Pattern.DOTALL);

    private static final String OURS = "rowlock.";

    public static boolean isOurs(String url) {
        return URL.matcher(url).matches();
    }

    /**
     * Takes a URL apart.
     *
     * @throws SQLException if one of our settings cannot be used
     */
    public static JdbcUrl of(String url, @Nullable Properties info) throws SQLException {
        Properties properties = new Properties();
        Properties ours = new Properties();
        if (info != null) {
            for (String name : info.stringPropertyNames()) {
                (name.startsWith(OURS) ? ours : properties).setProperty(name, info.getProperty(name));
            }
        }
        String plain = "jdbc:" + url.substring(PREFIX.length());
        int question = plain.indexOf('?');
        String address = question < 0 ? plain : plain.substring(0, question);
        List<String> theirs = new ArrayList<>();
        if (question >= 0) {
            for (String parameter : plain.substring(question + 1).split("&", -1)) {
                int equals = parameter.indexOf('=');
                if (parameter.startsWith(OURS)) {
                    ours.setProperty(
                            equals < 0 ? parameter : parameter.substring(0, equals),
                            equals < 0 ? "" : parameter.substring(equals + 1));
                } else {
                    theirs.add(parameter);
                }
            }
        }
        try {
            return new JdbcUrl(
                    theirs.isEmpty() ? address : address + '?' + String.join("&", theirs),
                    properties,
                    settings(address, ours));
        } catch (IllegalArgumentException e) {
            throw new SQLException(
                    "The URL or its properties cannot be used: " + e.getMessage(), SqlState.INVALID_PARAMETER_VALUE, e);
        }
    }

    private static JdbcSettings settings(String address, Properties ours) {
        Map<String, String> words = new HashMap<>();
        for (String name : ours.stringPropertyNames()) {
            String word = name.substring(OURS.length());
            if (JdbcSettings.DEFAULTS.containsKey(word)) {
                words.put(word, ours.getProperty(name));
            } else if (System.getProperty(name) == null) {
                // Programs pass System.getProperties() on, in which there are others that begin like ours.
                throw new IllegalArgumentException("There is no setting <" + name + ">; use " + OURS
                        + String.join(", " + OURS, JdbcSettings.DEFAULTS.keySet()));
            }
        }
        return JdbcSettings.of(address, words);
    }
}
