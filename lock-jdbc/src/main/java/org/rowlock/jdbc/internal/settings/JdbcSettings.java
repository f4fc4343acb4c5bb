package org.rowlock.jdbc.internal.settings;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.rowlock.LockFront;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.DropInMode;

/**
 * What one DataSource or URL is set to.
 *
 * @param name what it is called where it is shown
 * @param include the tables that are looked at, or none for all
 * @param largestGroup how many UPDATEs in autocommit may share a transaction; 1 for none
 * @param keepsWrites whether the last writes of a transaction may go with its COMMIT
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
     * The driver sends a Sync, which commits, where it expects answers of 64,000 bytes, of which it counts 250 for each
     * statement.
     */
    public static final int MOST_IN_GROUP = 128;

    public static final int DEFAULT_GROUP = 64;

    private static final String PROPERTIES = "rowlock.jdbc.";

    /** A setting of earlier versions, which is refused by name. */
    private static final String RELEASE = "release";

    /** The settings by their keys, in URLs behind {@code rowlock.}; and the word that each has where none is given. */
    static final Map<String, String> DEFAULTS =
            new JdbcSettings("", DropInMode.QUEUE, List.of(), List.of(), LockFront.ADAPTIVE, 1, false).words();

    /** The name that Spring Boot has for a setting. */
    private static final String OF_SPRING = PROPERTIES + "flush-with-commit";

    /** Between names; in quotes it is part of one. */
    private static final Pattern COMMA = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

    public JdbcSettings {
        if (largestGroup < 1 || largestGroup > MOST_IN_GROUP) {
            throw new IllegalArgumentException("A group cannot have " + largestGroup + " members: use 1 for none, or up"
                    + " to " + MOST_IN_GROUP + ", which the driver still sends at once");
        }
        include = normalized(include);
        exclude = normalized(exclude);
    }

    /**
     * What is not given is as the system properties {@code rowlock.jdbc.*} have it.
     *
     * @param given words by their keys
     */
    public static JdbcSettings of(String name, Map<String, String> given) {
        if (System.getProperty(PROPERTIES + RELEASE) != null) {
            throw new IllegalArgumentException(noSetting(RELEASE, PROPERTIES));
        }
        Map<String, String> words = new LinkedHashMap<>(DEFAULTS);
        words.replaceAll((key, word) -> given.getOrDefault(key, System.getProperty(PROPERTIES + key, word)));
        words.replaceAll((key, word) -> word.trim());
        return new JdbcSettings(
                name,
                one(DropInMode.values(), words, "mode", "off, observe or queue"),
                tables(words, "include"),
                tables(words, "exclude"),
                one(LockFront.values(), words, "front", "adaptive, always or never"),
                largestGroup(words.getOrDefault("group", "")),
                keepsWrites(words.getOrDefault("flush", "")));
    }

    /** As words by their keys, the same for the same settings. */
    public Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("mode", lower(mode));
        words.put("include", String.join(",", include));
        words.put("exclude", String.join(",", exclude));
        words.put("front", lower(front));
        words.put("group", largestGroup < 2 ? "off" : Integer.toString(largestGroup));
        words.put("flush", keepsWrites ? "commit" : "plain");
        return words;
    }

    /** With another word. */
    public JdbcSettings with(String key, String word) {
        Map<String, String> words = words();
        if (words.put(key, Given.notNull(word, "The word for " + key + " is null")) == null) {
            throw new IllegalArgumentException(noSetting(key, ""));
        }
        return of(name, words);
    }

    /** A sentence for each system property that begins like a setting and is none, perhaps misspelt. */
    public static List<String> unknownProperties() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(PROPERTIES)
                        && !name.equals(OF_SPRING)
                        && !DEFAULTS.containsKey(name.substring(PROPERTIES.length())))
                .sorted()
                .map(name -> noSetting(name.substring(PROPERTIES.length()), PROPERTIES))
                .toList();
    }

    /** Why there is no such setting, and what to do. */
    static String noSetting(String key, String prefix) {
        if (key.equals(RELEASE)) {
            return "The drop-in has no early release, as it makes programs that read much slower: remove the setting <"
                    + prefix + key + ">. For early release lock through the API, with"
                    + " RowLocks.builder(..).release(LockRelease.EARLY)";
        }
        return "There is no setting <" + prefix + key + ">; use " + prefix
                + String.join(", " + prefix, DEFAULTS.keySet());
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <E extends Enum<E>> E one(E[] all, Map<String, String> words, String key, String which) {
        return Arrays.stream(all)
                .filter(each -> each.name().equalsIgnoreCase(words.get(key)))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("There is no " + key + " <" + words.get(key) + ">; use " + which));
    }

    private static boolean keepsWrites(String word) {
        boolean keeps = word.equalsIgnoreCase("commit");
        if (!keeps && !word.equalsIgnoreCase("plain")) {
            throw new IllegalArgumentException("There is no flush <" + word + ">; use plain or commit");
        }
        return keeps;
    }

    private static int largestGroup(String word) {
        if (word.equalsIgnoreCase("off") || word.equalsIgnoreCase("on")) {
            return word.equalsIgnoreCase("on") ? DEFAULT_GROUP : 1;
        }
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "There is no group <" + word + ">; use off, on, or how many may share a transaction", e);
        }
    }

    private static List<String> tables(Map<String, String> words, String key) {
        return Arrays.stream(COMMA.split(words.getOrDefault(key, ""), -1))
                .map(String::trim)
                .filter(table -> !table.isEmpty())
                .toList();
    }

    /**
     * Tables as one word.
     *
     * @throws IllegalArgumentException if a name is malformed
     */
    public static String list(String... tables) {
        return String.join(",", normalized(Arrays.asList(Given.notNull(tables, "The list of tables is null"))));
    }

    private static List<String> normalized(List<String> tables) {
        return tables.stream().map(TableName::normalize).toList();
    }

    /** Whether statements on a table are looked at. */
    public boolean covers(String table) {
        return (include.isEmpty() || matches(include, table)) && !matches(exclude, table);
    }

    /** A name without a schema means that of any schema. */
    private static boolean matches(List<String> names, String table) {
        for (String name : names) {
            if (name.equals(table)
                    || (table.endsWith(name) && table.charAt(table.length() - name.length() - 1) == '.')) {
                return true;
            }
        }
        return false;
    }
}
