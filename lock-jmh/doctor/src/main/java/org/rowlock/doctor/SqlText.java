package org.rowlock.doctor;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rowlock.internal.text.SqlComments;

/**
 * Makes statements that differ in their values one, as pg_stat_statements does, and keeps the values themselves, which
 * may be anybody's data, out of the report. It splits tokens as the server does (scan.l), also in a statement that
 * pg_stat_activity has cut off: what has no end there goes on to the end.
 */
final class SqlText {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    /** Without a group that repeats: a list may be longer than a stack is deep. */
    private static final Pattern LIST = Pattern.compile("\\((?=[?$]\\d*,)[?$\\d, ]++\\)");

    /** A setting needs no quotes. */
    private static final Pattern SETTING = Pattern.compile(
            "(?<=^|; ?)(set (?:local |session )?[\\w.\"]+ ?(?:=|\\bto\\b) ?)[^;]++", Pattern.CASE_INSENSITIVE);

    private static final String LETTER = "A-Za-z_[^\\x00-\\x7F]";
    private static final Pattern NAME = Pattern.compile("[" + LETTER + "][" + LETTER + "\\d$]*+");
    private static final Pattern DOLLAR_QUOTE =
            Pattern.compile("\\$([" + LETTER + "][" + LETTER + "\\d]*+)?+(\\$|\\z)");
    private static final Pattern PARAMETER = Pattern.compile("\\$\\d++");
    private static final Pattern NUMBER = Pattern.compile("0[xX][\\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
            + "|(\\d[\\d_]*+(\\.[\\d_]*+)?+|\\.\\d[\\d_]*+)([eE][-+]?\\d[\\d_]*+)?+");
    private static final Pattern SIGN = Pattern.compile("[-+*/=<>(,] ?-$");

    private final String sql;
    private final Matcher matcher;
    private final StringBuilder plain = new StringBuilder();

    private SqlText(String sql) {
        this.sql = sql;
        matcher = NAME.matcher(sql);
    }

    /** On one line, without comments, and with ? for each value. */
    static String normalize(String sql) {
        String oneLine =
                SPACE.matcher(new SqlText(sql).withoutValues()).replaceAll(" ").strip();
        String ended = oneLine.endsWith(";")
                ? oneLine.substring(0, oneLine.length() - 1).strip()
                : oneLine;
        return SETTING.matcher(LIST.matcher(ended).replaceAll("(...)")).replaceAll("$1?");
    }

    private String withoutValues() {
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\'') {
                at = value(endOfString(at, false));
            } else if (c == '"') {
                at = copy(at, behind("\"", at + 1));
            } else if (SqlComments.beginsAt(sql, at)) {
                plain.append(' ');
                at = SqlComments.end(sql, at);
            } else if (is(NAME, at)) {
                at = name(at, matcher.end());
            } else if (is(PARAMETER, at)) {
                at = copy(at, matcher.end());
            } else if (is(DOLLAR_QUOTE, at)) {
                at = value(behind(matcher.group(), matcher.end()));
            } else if (is(NUMBER, at)) {
                at = number(matcher.end());
            } else {
                at = copy(at, at + 1);
            }
        }
        return plain.toString();
    }

    private boolean is(Pattern token, int at) {
        return matcher.usePattern(token).region(at, sql.length()).lookingAt();
    }

    /** A name, or the letters in front of a string. */
    private int name(int from, int end) {
        String name = sql.substring(from, end).toLowerCase(Locale.ROOT);
        if (name.equals("u") && sql.startsWith("&'", end)) {
            return value(endOfString(end + 1, false));
        }
        if (sql.startsWith("'", end) && name.matches("[enbx]")) {
            return value(endOfString(end, name.equals("e")));
        }
        return copy(from, end);
    }

    private int number(int end) {
        if (SIGN.matcher(plain.substring(Math.max(0, plain.length() - 3))).find()) {
            plain.setLength(plain.length() - 1);
        }
        return value(end);
    }

    private int copy(int from, int end) {
        plain.append(sql, from, end);
        return end;
    }

    private int value(int end) {
        plain.append('?');
        return end;
    }

    private int behind(String token, int from) {
        int at = sql.indexOf(token, from);
        return at < 0 ? sql.length() : at + token.length();
    }

    private int endOfString(int quote, boolean isEscaped) {
        int at = quote + 1;
        while (at < sql.length()) {
            boolean isQuoteNext = sql.startsWith("'", at + 1);
            if (sql.charAt(at) == '\\') {
                // Here a string ends or goes on by the session's standard_conforming_strings, which nobody else sees.
                if (isQuoteNext && !isEscaped) {
                    return sql.length();
                }
                at += 2;
            } else if (sql.charAt(at) == '\'') {
                if (!isQuoteNext) {
                    return at + 1;
                }
                at += 2;
            } else {
                at++;
            }
        }
        return sql.length();
    }
}
