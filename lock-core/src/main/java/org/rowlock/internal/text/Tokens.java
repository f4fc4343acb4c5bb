package org.rowlock.internal.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.postgresql.core.Parser;
import org.rowlock.internal.text.Token.TokenType;

/**
 * Splits SQL into tokens as PostgreSQL and its driver do. Comments are skipped, names without quotes are in lower case,
 * and a question mark is a parameter unless it is doubled.
 */
public final class Tokens {
    /** Callers should not split longer texts, because this takes too much time. */
    public static final int LONGEST = 16_384;

    private static final String OPERATORS = "+-*/<>=~!@#%^&|`";

    /** An operator may end with + or - only if it contains one of these characters. */
    private static final String BEFORE_SIGN = "~!@#%^&|`";

    /** White space for the server, but not for the driver. */
    private static final char VERTICAL_TAB = '\u000b';

    private final String sql;
    private final char[] chars;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int start;
    private int parameters;

    private Tokens(String sql) {
        this.sql = sql;
        this.chars = sql.toCharArray();
    }

    /** Returns the tokens. An unclosed token ends with the text. */
    public static List<Token> of(String sql) {
        Tokens cut = new Tokens(sql);
        while (cut.at < sql.length()) {
            cut.next();
        }
        return cut.tokens;
    }

    public static Set<String> words(String list) {
        return Set.of(list.split(" "));
    }

    /** Returns the index of the first token, after white space and comments. */
    public static int start(String sql) {
        Tokens cut = new Tokens(sql);
        while (cut.at < sql.length() && cut.skipNothing()) {}
        return cut.at;
    }

    /** Returns the first word, in lower case, after opening brackets; empty if a different token is there. */
    public static String firstWord(String sql) {
        Tokens cut = new Tokens(sql);
        Token last = Token.END;
        while (cut.at < sql.length() && (cut.tokens.isEmpty() || last.isSymbol("("))) {
            cut.next();
            last = cut.tokens.isEmpty() ? last : cut.tokens.get(cut.tokens.size() - 1);
        }
        return last.type() == TokenType.WORD ? last.text() : "";
    }

    private void next() {
        if (skipNothing()) {
            return;
        }
        start = at;
        char c = sql.charAt(at);
        if (isNameStart(c)) {
            word();
        } else if (isDigit(at) || (c == '.' && isDigit(at + 1))) {
            number();
        } else if (c == '\'') {
            add(TokenType.STRING, quoted(c, false));
        } else if (c == '"') {
            add(TokenType.QUOTED, quoted(c, false));
        } else if (c == '$') {
            dollar();
        } else if (c == '?') {
            parameter();
        } else if (OPERATORS.indexOf(c) >= 0) {
            operator();
        } else if (c == ':' && at + 1 < sql.length() && sql.charAt(at + 1) == ':') {
            add(TokenType.SYMBOL, "::");
            at += 2;
        } else {
            add(TokenType.SYMBOL, String.valueOf(c));
            at++;
        }
    }

    private void add(TokenType type, String text) {
        tokens.add(new Token(type, text, start));
    }

    /** Skips one white-space character or one comment. Returns false if neither follows. */
    private boolean skipNothing() {
        if (Parser.isSpace(sql.charAt(at)) || sql.charAt(at) == VERTICAL_TAB) {
            at++;
            return true;
        }
        int from = at;
        at = commentEnd(sql, at);
        return at > from;
    }

    private void word() {
        int from = at;
        while (at < sql.length() && isNamePart(sql.charAt(at))) {
            at++;
        }
        String word = TableName.folded(sql.substring(from, at));
        boolean quoteFollows = at < sql.length() && sql.charAt(at) == '\'';
        if (quoteFollows && (word.equals("e") || word.equals("n"))) {
            add(TokenType.STRING, quoted('\'', word.equals("e")));
        } else if (word.equals("u") && (sql.startsWith("&\"", at) || sql.startsWith("&'", at))) {
            // A name or a text with Unicode escapes follows. The escapes are not replaced.
            add(TokenType.SYMBOL, "u&");
            at++;
        } else {
            add(TokenType.WORD, word);
        }
    }

    private void number() {
        int from = at;
        while (at < sql.length() && (isNamePart(sql.charAt(at)) || sql.charAt(at) == '.')) {
            at++;
        }
        add(TokenType.NUMBER, sql.substring(from, at));
    }

    /** Reads a text in quotes, and replaces doubled quotes. In a text with escapes, nothing is replaced. */
    private String quoted(char quote, boolean escapes) {
        int from = at + 1;
        int end;
        do {
            end = quote == '"' ? Parser.parseDoubleQuotes(chars, at) : Parser.parseSingleQuotes(chars, at, !escapes);
            at = Math.min(chars.length, end + 1);
        } while (!escapes && at < chars.length && chars[at] == quote);
        String text = sql.substring(Math.min(from, chars.length), Math.min(end, chars.length));
        return escapes ? text : text.replace("" + quote + quote, "" + quote);
    }

    private void dollar() {
        int end = Parser.parseDollarQuotes(chars, at);
        if (end == at) {
            add(TokenType.SYMBOL, "$");
            at++;
            return;
        }
        int tagEnd = sql.indexOf('$', at + 1);
        int textEnd = end < chars.length ? end - (tagEnd - at) : end;
        add(TokenType.STRING, sql.substring(tagEnd + 1, textEnd));
        at = Math.min(chars.length, end + 1);
    }

    private void parameter() {
        if (sql.startsWith("??", at)) {
            add(TokenType.SYMBOL, "?");
            at += 2;
        } else {
            add(TokenType.PARAMETER, Integer.toString(++parameters));
            at++;
        }
    }

    private void operator() {
        int from = at;
        while (at < sql.length()
                && OPERATORS.indexOf(sql.charAt(at)) >= 0
                && !(at > from && commentEnd(sql, at) > at)) {
            at++;
        }
        // In =-1 the minus sign belongs to the number, as in PostgreSQL.
        while (at - from > 1
                && (sql.charAt(at - 1) == '-' || sql.charAt(at - 1) == '+')
                && !hasOperatorBeforeSign(from)) {
            at--;
        }
        add(TokenType.SYMBOL, sql.substring(from, at));
    }

    private boolean hasOperatorBeforeSign(int from) {
        return sql.substring(from, at).chars().anyMatch(c -> BEFORE_SIGN.indexOf(c) >= 0);
    }

    private boolean isDigit(int index) {
        return index < sql.length() && sql.charAt(index) >= '0' && sql.charAt(index) <= '9';
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 127;
    }

    public static boolean isNamePart(char c) {
        return isNameStart(c) || (c >= '0' && c <= '9') || c == '$';
    }

    /**
     * Returns the index after a comment that begins at the given index; the given index if no comment begins there. The
     * end of the line is not part of the comment. An unclosed comment ends with the text.
     */
    public static int commentEnd(String sql, int begin) {
        int at = begin;
        if (sql.startsWith("--", at)) {
            while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
                at++;
            }
        } else if (sql.startsWith("/*", at)) {
            // PostgreSQL allows nested comments.
            int depth = 0;
            do {
                boolean opens = sql.startsWith("/*", at);
                boolean closes = sql.startsWith("*/", at);
                depth += opens ? 1 : closes ? -1 : 0;
                at += opens || closes ? 2 : 1;
            } while (depth > 0 && at < sql.length());
        }
        return at;
    }
}
