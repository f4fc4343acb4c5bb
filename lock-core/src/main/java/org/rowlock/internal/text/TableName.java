package org.rowlock.internal.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Table names as in SQL, normalized to one spelling: unquoted letters are in lower case, and quotes remain only around
 * parts that contain capitals or special characters, or begin with a digit. As in PostgreSQL, {@code Account}, {@code
 * account} and {@code "account"} are the same name.
 *
 * <p>Only well-formed names are accepted, so that a name can safely be part of SQL text.
 */
public final class TableName {
    private static final int MOST_PARTS = 3;
    private static final String AS_IN_SQL = "account, public.account, \"Account\"";

    private TableName() {}

    public static String normalize(String table) {
        if (isPlain(table)) {
            return table;
        }
        return parts(Arguments.text(table, "The table name", "it as in SQL: " + AS_IN_SQL)).stream()
                .map(part -> isPlain(part) ? part : quoteIdentifier(part))
                .collect(Collectors.joining("."));
    }

    /** Returns a normalized name with each part in quotes, because a part may be a keyword. */
    public static String quoted(String normalized) {
        return isPlain(normalized)
                ? quoteIdentifier(normalized)
                : parts(normalized).stream().map(TableName::quoteIdentifier).collect(Collectors.joining("."));
    }

    /** Returns the last part of a normalized name in quotes. This is the default alias of a table in a FROM clause. */
    public static String quotedLastPart(String normalized) {
        List<String> parts = parts(normalized);
        return quoteIdentifier(parts.get(parts.size() - 1));
    }

    public static List<String> parts(String name) {
        if (isPlain(name)) {
            return List.of(name);
        }
        List<String> parts = new ArrayList<>(MOST_PARTS);
        Matcher part = Part.PATTERN.matcher(name);
        int behind = 0;
        while (part.find()) {
            String unquoted = part.group(2);
            parts.add(unquoted == null ? part.group(1).replace("\"\"", "\"") : folded(unquoted));
            behind = part.end();
        }
        if (behind < name.length() || parts.size() > MOST_PARTS) {
            throw new IllegalArgumentException("The table name <" + name + "> "
                    + (behind < name.length()
                            ? "cannot be read from position " + (behind + 1) + " on"
                            : "has more than " + MOST_PARTS + " parts")
                    + "; write it as in SQL: " + AS_IN_SQL + " (with quotes where SQL needs them)");
        }
        return parts;
    }

    /** A separate class, so that the pattern is compiled only on demand, which is rare. */
    private static final class Part {
        /** One part of a name, and the dot after every part except the last part. */
        static final Pattern PATTERN = Pattern.compile(
                "\\G(?:\"((?=[^\"]|\"\")[^\"\\x00]*+(?:\"\"[^\"\\x00]*+)*+)\"|([A-Za-z_\\x{80}-\\x{10ffff}]"
                        + "[A-Za-z0-9_$\\x{80}-\\x{10ffff}]*+))(?:\\.(?!\\z)|\\z)");
    }

    /** Returns an unquoted identifier in lower case. Like the server, Rowlock converts only ASCII letters. */
    static String folded(String identifier) {
        StringBuilder folded = new StringBuilder(identifier);
        for (int i = 0; i < identifier.length(); i++) {
            char c = identifier.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                folded.setCharAt(i, Character.toLowerCase(c));
            }
        }
        return folded.toString();
    }

    /** Returns an identifier in quotes. The identifier may contain any characters. */
    public static String quoteIdentifier(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    /** Whether a name needs no normalization. Allocates nothing. */
    private static boolean isPlain(String name) {
        if (name == null || name.isEmpty() || isDigit(name.charAt(0)) || name.charAt(0) == '$') {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!(c >= 'a' && c <= 'z') && c != '_' && !isDigit(c) && c != '$') {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
