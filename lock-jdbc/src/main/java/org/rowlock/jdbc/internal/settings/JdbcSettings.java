package org.rowlock.jdbc.internal.settings;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.DropInMode;

/**
 * The settings of one DataSource or URL.
 *
 * @param name the name in JMX, logs and metrics
 * @param include the tables to which the drop-in applies; empty for all
 * @param exclude the tables to which the drop-in does not apply
 * @param largestGroup the largest number of UPDATEs in autocommit that may share a transaction; 1 turns groups off
 * @param keepsWrites whether the last writes of a transaction may be sent with its COMMIT
 */
public record JdbcSettings(
        String name,
        DropInMode mode,
        List<String> include,
        List<String> exclude,
        LockFront front,
        int largestGroup,
        boolean keepsWrites) {
    /**
     * The largest allowed group. The driver would split a much larger group into several transactions: when the driver
     * expects 64,000 bytes of answers, the driver sends a Sync message, and PostgreSQL then commits. The driver
     * estimates 250 bytes for each answer.
     */
    public static final int MOST_IN_GROUP = 128;

    private static final Integer[] SIZES =
            IntStream.rangeClosed(1, MOST_IN_GROUP).boxed().toArray(Integer[]::new);

    private static final String PROPERTIES = "rowlock.jdbc.";

    /** The default value of each setting. In a URL the key of a setting begins with {@code rowlock.}. */
    static final Map<String, String> DEFAULTS =
            new JdbcSettings("", DropInMode.QUEUE, List.of(), List.of(), LockFront.ADAPTIVE, 1, false).words();

    /** The name that Spring Boot uses for {@code flushWithCommit}. */
    private static final String OF_SPRING = PROPERTIES + "flush-with-commit";

    /** A comma that separates names. A comma in quotes is part of a name. */
    private static final Pattern COMMA = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

    /**
     * Creates settings. A setting that is not given is read from the system property {@code rowlock.jdbc.*}.
     *
     * @param given the values by their keys
     * @param prefix the prefix of the keys in messages, such as {@code rowlock.} for a URL
     */
    public static JdbcSettings of(String name, Map<String, String> given, String prefix) {
        Map<String, String> words = new LinkedHashMap<>(DEFAULTS);
        words.replaceAll((key, word) -> System.getProperty(PROPERTIES + key, word));
        given.forEach((key, word) -> {
            if (words.put(key, Arguments.notNull(word, "The value for " + key + " is null")) == null) {
                throw new IllegalArgumentException(noSetting(key, prefix));
            }
        });
        words.replaceAll((key, word) -> word.trim());
        return new JdbcSettings(
                name,
                one(DropInMode.values(), words, "mode", "off, observe or queue"),
                tables(words, "include"),
                tables(words, "exclude"),
                one(LockFront.values(), words, "front", "adaptive, always or never"),
                one(SIZES, words, "largestGroup", "1 for no groups, or up to " + MOST_IN_GROUP + " UPDATEs in a group"),
                one(new Boolean[] {true, false}, words, "flushWithCommit", "true or false"));
    }

    /** Returns the text of each setting by its key. Equal settings return equal maps. */
    public Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("mode", mode.name().toLowerCase(Locale.ROOT));
        words.put("include", String.join(",", include));
        words.put("exclude", String.join(",", exclude));
        words.put("front", front.name().toLowerCase(Locale.ROOT));
        words.put("largestGroup", Integer.toString(largestGroup));
        words.put("flushWithCommit", Boolean.toString(keepsWrites));
        return words;
    }

    public JdbcSettings with(String key, String word) {
        Map<String, String> words = words();
        words.put(key, word);
        return of(name, words, "");
    }

    /**
     * Returns a warning for each system property that has the prefix of the settings, but is not a setting. The name of
     * such a property is probably misspelt.
     */
    public static List<String> unknownProperties() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(PROPERTIES)
                        && !name.equals(OF_SPRING)
                        && !DEFAULTS.containsKey(name.substring(PROPERTIES.length())))
                .sorted()
                .map(name -> noSetting(name.substring(PROPERTIES.length()), PROPERTIES))
                .toList();
    }

    private static String noSetting(String key, String prefix) {
        return "There is no setting <" + prefix + key + ">; use " + prefix
                + String.join(", " + prefix, DEFAULTS.keySet());
    }

    private static <T> T one(T[] all, Map<String, String> words, String key, String which) {
        return Arrays.stream(all)
                .filter(each -> each.toString().equalsIgnoreCase(words.get(key)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(key + " is <" + words.get(key) + ">; use " + which));
    }

    private static List<String> tables(Map<String, String> words, String key) {
        return Arrays.stream(COMMA.split(words.getOrDefault(key, ""), -1))
                .map(String::trim)
                .filter(table -> !table.isEmpty())
                .map(TableName::normalize)
                .toList();
    }

    public boolean covers(String table) {
        return (include.isEmpty() || matches(include, table)) && !matches(exclude, table);
    }

    /** Whether a table has one of the names. A name without a schema matches the table in every schema. */
    private static boolean matches(List<String> names, String table) {
        return !names.isEmpty() && names.stream().anyMatch(name -> name.equals(table) || table.endsWith('.' + name));
    }
}
