package org.rowlock.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rowlock.internal.text.Tokens;

/**
 * Replaces the values in statements, as pg_stat_statements does. Statements that differ only in their values become
 * equal, and confidential values stay out of the report. The patterns follow the server's lexer (scan.l).
 * pg_stat_activity may truncate a statement, so an unfinished token extends to the end.
 */
final class SqlText {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    /** A list of parameters. The pattern has no repeated group, because a long list would overflow the stack. */
    private static final Pattern LIST = Pattern.compile("\\((?=[?$]\\d*,)[?$\\d, ]++\\)");

    /** A setting and its value. The value may be unquoted. */
    private static final Pattern SETTING = Pattern.compile(
            "(?<=^|; ?)(set (?:local |session )?[\\w.\"]+ ?(?:=|\\bto\\b) ?)[^;]++", Pattern.CASE_INSENSITIVE);

    private static final String LETTER = "A-Za-z_[^\\x00-\\x7F]";
    private static final String NUMBER = "0[xX][\\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
            + "|(?:\\d[\\d_]*+(?:\\.[\\d_]*+)?+|\\.\\d[\\d_]*+)(?:[eE][-+]?\\d[\\d_]*+)?+";

    /** The beginning of a token. For a string, only the opening quote matches. */
    private static final Pattern TOKEN = Pattern.compile("(?<comment>--|/\\*)"
            + "|(?<string>(?:[eEnNbBxX]|[uU]&)?')"
            + "|(?<dollar>\\$(?:[" + LETTER + "][" + LETTER + "\\d]*+)?+(?:\\$|\\z))"
            + "|(?<kept>\"[^\"]*+\"?+|[" + LETTER + "][" + LETTER + "\\d$]*+|\\$\\d++)"
            + "|(?<number>" + NUMBER + ")");

    private static final Pattern SIGN = Pattern.compile("[-+*/=<>(,] ?-$");

    private SqlText() {}

    /** Puts the statement on one line, without comments, and with ? for each value. */
    static String normalize(String sql) {
        String oneLine = SPACE.matcher(withoutValues(sql)).replaceAll(" ").strip();
        String ended = oneLine.endsWith(";")
                ? oneLine.substring(0, oneLine.length() - 1).strip()
                : oneLine;
        return SETTING.matcher(LIST.matcher(ended).replaceAll("(...)")).replaceAll("$1?");
    }

    private static String withoutValues(String sql) {
        StringBuilder plain = new StringBuilder();
        Matcher token = TOKEN.matcher(sql);
        int at = 0;
        while (token.find(at)) {
            plain.append(sql, at, token.start());
            at = token.end();
            if (token.group("kept") != null) {
                plain.append(token.group());
            } else if (token.group("comment") != null) {
                plain.append(' ');
                at = Tokens.commentEnd(sql, token.start());
            } else {
                String before = plain.substring(Math.max(0, plain.length() - 3));
                if (token.group("number") != null && SIGN.matcher(before).find()) {
                    plain.setLength(plain.length() - 1);
                }
                plain.append('?');
                at = endOfValue(sql, token);
            }
        }
        return plain.append(sql, at, sql.length()).toString();
    }

    private static int endOfValue(String sql, Matcher token) {
        if (token.group("string") != null) {
            return endOfString(sql, token.end(), token.group().equalsIgnoreCase("e'"));
        }
        if (token.group("dollar") != null) {
            int end = sql.indexOf(token.group(), token.end());
            return end < 0 ? sql.length() : end + token.group().length();
        }
        return token.end();
    }

    private static int endOfString(String sql, int from, boolean isEscaped) {
        int at = from;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            boolean isQuoteNext = sql.startsWith("'", at + 1);
            // The string ends here if standard_conforming_strings is on, but the doctor cannot read this setting of the
            // sending session. To be safe, the rest of the statement counts as part of the string.
            if (c == '\\' && isQuoteNext && !isEscaped) {
                return sql.length();
            }
            if (c == '\'' && !isQuoteNext) {
                return at + 1;
            }
            at += c == '\\' || c == '\'' ? 2 : 1;
        }
        return sql.length();
    }
}
