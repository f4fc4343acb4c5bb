package org.rowlock.jdbc.internal.settings;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
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
 * The parts of a URL of the drop-in.
 *
 * @param url the URL of the driver that Rowlock wraps
 * @param properties the properties for that driver, without the drop-in's settings
 * @param settings the settings of the drop-in
 */
public record JdbcUrl(String url, Properties properties, JdbcSettings settings) {
    private static final String PREFIX = "jdbc:rowlock:";

    /**
     * The URLs of the drop-in. The prefix is followed by {@code postgresql:..}, or by the rest of the URL of a driver
     * that wraps PostgreSQL's driver, such as {@code aws-wrapper:postgresql:..} or {@code tc:postgresql:18:..}.
     */
    private static final Pattern URL = Pattern.compile(PREFIX + "([a-z][a-z0-9_-]*:)*?postgresql:.*", Pattern.DOTALL);

    private static final String OURS = "rowlock.";

    /** Whether a URL is meant for the drop-in, even if {@link #of} refuses the URL. */
    public static boolean isOurs(@Nullable String url) {
        return url != null && url.startsWith(PREFIX);
    }

    private static boolean isOurName(String name) {
        return name.regionMatches(true, 0, OURS, 0, OURS.length());
    }

    /**
     * Parses a URL and the properties of a connection.
     *
     * @throws SQLException if the form of the URL or a setting of the drop-in is invalid
     */
    public static JdbcUrl of(String url, @Nullable Properties info) throws SQLException {
        Properties properties = new Properties();
        Map<String, String> ours = new HashMap<>();
        Properties given = info == null ? new Properties() : info;
        for (String name : given.stringPropertyNames()) {
            if (isOurName(name)) {
                ours.put(name.substring(OURS.length()), given.getProperty(name));
            } else {
                properties.setProperty(name, given.getProperty(name));
            }
        }
        String plain = isOurs(url) ? "jdbc:" + url.substring(PREFIX.length()) : url;
        String[] parts = plain.split("\\?", 2);
        List<String> parameters = new ArrayList<>();
        try {
            if (isOurs(url) && !URL.matcher(url).matches()) {
                throw new IllegalArgumentException("after " + PREFIX + " there is no postgresql:, as in " + PREFIX
                        + "postgresql://host:port/database. Rowlock supports only PostgreSQL");
            }
            for (String parameter : parts.length == 1 ? new String[0] : parts[1].split("&", -1)) {
                String[] setting = parameter.split("=", 2);
                String name = URLDecoder.decode(setting[0], StandardCharsets.UTF_8);
                String value = setting.length == 1 ? "" : setting[1];
                if (isOurName(name)) {
                    ours.put(name.substring(OURS.length()), URLDecoder.decode(value, StandardCharsets.UTF_8));
                } else if (JdbcSettings.DEFAULTS.containsKey(name)) {
                    throw new IllegalArgumentException("<" + name + "> lacks the prefix; use " + OURS + name);
                } else {
                    parameters.add(parameter);
                }
            }
            // An unknown key is no error if it is also a system property, because some programs pass all system
            // properties to the driver.
            ours.keySet()
                    .removeIf(key -> !JdbcSettings.DEFAULTS.containsKey(key) && System.getProperty(OURS + key) != null);
            return new JdbcUrl(
                    parameters.isEmpty() ? parts[0] : parts[0] + '?' + String.join("&", parameters),
                    properties,
                    JdbcSettings.of(parts[0], ours, OURS));
        } catch (IllegalArgumentException e) {
            throw new SQLException(
                    "The URL or its properties cannot be used: " + e.getMessage(), SqlState.INVALID_PARAMETER_VALUE, e);
        }
    }
}
