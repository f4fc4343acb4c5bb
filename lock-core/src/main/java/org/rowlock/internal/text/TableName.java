package org.rowlock.internal.text;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Table names as SQL writes them, brought to one spelling: unquoted letters in lower case, quotes only where they are
 * needed. So {@code Account}, {@code account} and {@code "account"} are one name, as they are to the server.
 *
 * <p>Only a well-formed name passes, which also makes it safe to stand in SQL text.
 */
public final class TableName {
    private static final int MOST_PARTS = 3;

    private TableName() {}

    public static String normalize(String table) {
        return isPlain(table) ? table : new Parser(table).parse();
    }

    /** Each part of a normalized name in quotes, so that a table named like a keyword can stand in FROM. */
    public static String quoted(String normalized) {
        return parts(normalized).stream().map(TableName::quoteIdentifier).collect(Collectors.joining("."));
    }

    /** The last part of a normalized name in quotes: what SQL calls the table behind FROM. */
    public static String quotedLastPart(String normalized) {
        List<String> parts = parts(normalized);
        return quoteIdentifier(parts.get(parts.size() - 1));
    }

    /** The names that a normalized name is made of, without quotes. */
    public static List<String> parts(String normalized) {
        List<String> parts = new ArrayList<>(MOST_PARTS);
        StringBuilder part = new StringBuilder();
        boolean inQuotes = false;
        for (int i = 0; i < normalized.length(); i++) {
            char c = normalized.charAt(i);
            if (c == '"' && inQuotes && i + 1 < normalized.length() && normalized.charAt(i + 1) == '"') {
                part.append(c);
                i++;
            } else if (c == '"') {
                inQuotes = !inQuotes;
            } else if (c == '.' && !inQuotes) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString());
        return parts;
    }

    /** An identifier of any spelling, in quotes. */
    public static String quoteIdentifier(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    /** The common case, decided without allocation: lower-case letters, digits, underscores and dollar signs. */
    private static boolean isPlain(String name) {
        if (name == null || name.isEmpty() || isDigit(name.charAt(0)) || name.charAt(0) == '$') {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isLower(c) && c != '_' && !isDigit(c) && c != '$') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLower(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isUpper(char c) {
        return c >= 'A' && c <= 'Z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** Reads name or "name", up to three of them with dots between. */
    private static final class Parser {
        private final String text;
        private final StringBuilder normalized = new StringBuilder();
        private int at;

        Parser(String text) {
            this.text = text;
        }

        String parse() {
            if (text == null || text.isBlank()) {
                throw new IllegalArgumentException("The table name is " + (text == null ? "null" : "blank")
                        + "; give it as in SQL: account, public.account, \"Account\"");
            }
            for (int part = 1; ; part++) {
                if (part > MOST_PARTS) {
                    throw malformed("has more than " + MOST_PARTS + " parts");
                }
                if (at < text.length() && text.charAt(at) == '"') {
                    quotedPart();
                } else {
                    unquotedPart();
                }
                if (at == text.length()) {
                    return normalized.toString();
                }
                if (text.charAt(at) != '.') {
                    throw malformed("has '" + text.charAt(at) + "' at position " + (at + 1));
                }
                normalized.append('.');
                at++;
            }
        }

        private void unquotedPart() {
            int start = at;
            StringBuilder part = new StringBuilder();
            while (at < text.length() && isIdentifierPart(text.charAt(at), at == start)) {
                char c = text.charAt(at++);
                part.append(isUpper(c) ? (char) (c - 'A' + 'a') : c);
            }
            if (at == start) {
                throw malformed(
                        at == text.length()
                                ? "ends where a name should follow"
                                : "has '" + text.charAt(at) + "' at position " + (at + 1));
            }
            append(part.toString());
        }

        private void quotedPart() {
            StringBuilder part = new StringBuilder();
            for (at++; ; at++) {
                if (at >= text.length()) {
                    throw malformed("has a quote that is not closed");
                }
                char c = text.charAt(at);
                if (c == '"') {
                    if (at + 1 < text.length() && text.charAt(at + 1) == '"') {
                        at++;
                    } else {
                        break;
                    }
                } else if (c == 0) {
                    throw malformed("contains a NUL character");
                }
                part.append(c);
            }
            at++;
            if (part.isEmpty()) {
                throw malformed("has an empty quoted part");
            }
            append(part.toString());
        }

        private void append(String name) {
            normalized.append(isPlain(name) ? name : quoteIdentifier(name));
        }

        private static boolean isIdentifierPart(char c, boolean first) {
            boolean letter = isLower(c) || isUpper(c) || c == '_' || c > 0x7f;
            return letter || (!first && (isDigit(c) || c == '$'));
        }

        private IllegalArgumentException malformed(String why) {
            return new IllegalArgumentException("The table name <" + text + "> " + why
                    + "; write it as in SQL: account, public.account, \"Account\" (with quotes where SQL needs them)");
        }
    }
}
