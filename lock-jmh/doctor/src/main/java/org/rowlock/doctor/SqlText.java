package org.rowlock.doctor;

import java.util.regex.Pattern;

/**
 * Makes statements that differ in their values one, as pg_stat_statements does, and keeps the values themselves, which
 * may be anybody's data, out of the report.
 */
final class SqlText {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Pattern LIST = Pattern.compile("\\((\\?|\\$\\d+)(, ?(\\?|\\$\\d+))+\\)");

    /** In this order, since a string may look like a comment and a name may hold digits. */
    private static final Pattern TOKEN = Pattern.compile(
            "(?s)'(?:[^']|'')*'?" // string, also one that is cut off
                    + "|\"[^\"]*\"" // quoted name
                    + "|--[^\\n]*|/\\*.*?(?:\\*/|$)" // comments
                    + "|\\$\\d+" // parameter
                    + "|(?<=[-+*/=<>(,] ?)-\\d+(?:\\.\\d+)?\\b" // negative number
                    + "|\\b\\d+(?:\\.\\d+)?\\b"); // number

    private SqlText() {}

    /** On one line, without comments, and with ? for each value. */
    static String normalize(String sql) {
        String plain = TOKEN.matcher(sql).replaceAll(match -> {
            String token = match.group();
            if (token.length() > 1 && token.charAt(0) == '-' && token.charAt(1) != '-') {
                return "?";
            }
            return switch (token.charAt(0)) {
                case '-', '/' -> " ";
                case '"', '$' -> java.util.regex.Matcher.quoteReplacement(token);
                default -> "?";
            };
        });
        String oneLine = SPACE.matcher(plain).replaceAll(" ").strip();
        String ended = oneLine.endsWith(";")
                ? oneLine.substring(0, oneLine.length() - 1).strip()
                : oneLine;
        return LIST.matcher(ended).replaceAll("(...)");
    }
}
