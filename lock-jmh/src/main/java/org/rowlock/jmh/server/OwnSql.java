package org.rowlock.jmh.server;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.rowlock.internal.text.Token;
import org.rowlock.internal.text.Token.TokenType;
import org.rowlock.internal.text.Tokens;
import org.rowlock.tool.UserError;

/**
 * A statement of the user. Each parameter gets its value from a column of the keys.
 *
 * @param sql the SQL with ? for each parameter
 * @param columns for each parameter, the index of its column in the keys, counted from 1
 */
public record OwnSql(String sql, List<Integer> columns) {
    /**
     * The names in SQL text.
     *
     * @param words the names without a schema; also strings, because a string may name a sequence
     * @param qualified the pairs of names with a dot between them
     * @param sources the names after FROM, JOIN and similar words
     * @param called the names before a parenthesis
     */
    record Names(Set<String> words, Set<List<String>> qualified, Set<String> sources, Set<String> called) {
        private static final Set<String> BEFORE_SOURCE = Tokens.words("from join update into only using");

        static Names of(String text) {
            Names names = new Names(
                    new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
            List<Token> tokens = Tokens.of(text);
            for (int i = 0; i < tokens.size(); i++) {
                Token token = tokens.get(i);
                if (token.isName() && (i == 0 || !tokens.get(i - 1).isSymbol("."))) {
                    names.words.add(token.text());
                } else if (token.type() == TokenType.STRING) {
                    names.words.add(token.text());
                }
                if (token.isName() && i + 1 < tokens.size() && tokens.get(i + 1).isSymbol("(")) {
                    names.called.add(token.text());
                }
                if (token.type() == TokenType.WORD && BEFORE_SOURCE.contains(token.text()) && i + 1 < tokens.size()) {
                    names.sources.add(tokens.get(isQualified(tokens, i + 1) ? i + 3 : i + 1)
                            .text());
                }
                if (isQualified(tokens, i)) {
                    names.qualified.add(List.of(token.text(), tokens.get(i + 2).text()));
                }
            }
            return names;
        }
    }

    private static boolean isQualified(List<Token> tokens, int i) {
        return i + 2 < tokens.size()
                && tokens.get(i).isName()
                && tokens.get(i + 1).isSymbol(".")
                && tokens.get(i + 2).isName();
    }

    /** Removes the schemas of these tables from the SQL, so that the names mean the copies. */
    static String withoutSchemas(String text, Set<List<String>> tables) {
        StringBuilder plain = new StringBuilder();
        List<Token> tokens = Tokens.of(text);
        int copied = 0;
        for (int i = 0; i < tokens.size(); i++) {
            if (isQualified(tokens, i)
                    && tables.contains(
                            List.of(tokens.get(i).text(), tokens.get(i + 2).text()))) {
                plain.append(text, copied, tokens.get(i).start());
                copied = tokens.get(i + 2).start();
            }
        }
        return plain.append(text.substring(copied)).toString();
    }

    /**
     * Splits SQL at its semicolons. The parameter $1 means the first column of the keys, and so does the first ? of a
     * statement.
     *
     * @param where the option that gave the SQL, for messages
     */
    static List<OwnSql> of(String text, String where) {
        List<OwnSql> all = new ArrayList<>();
        List<Token> tokens = Tokens.of(text);
        StringBuilder sql = new StringBuilder();
        List<Integer> columns = new ArrayList<>();
        int questions = 0;
        int copied = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            Token token = i < tokens.size() ? tokens.get(i) : Token.END;
            Token next = i + 1 < tokens.size() ? tokens.get(i + 1) : Token.END;
            if (token.type() == TokenType.END || token.isSymbol(";")) {
                int end = Math.min(token.start(), text.length());
                sql.append(text, copied, end);
                copied = Math.min(end + 1, text.length());
                if (questions > 0 && columns.size() > questions) {
                    throw new UserError("A statement of " + where + " has parameters of both forms, $1 and ?, so"
                            + " their order is not clear. Write all parameters as $1, $2, and an operator ? as ??.");
                }
                if (!Tokens.of(sql.toString()).isEmpty()) {
                    all.add(new OwnSql(sql.toString().strip(), List.copyOf(columns)));
                }
                sql.setLength(0);
                columns.clear();
                questions = 0;
            } else if (token.type() == TokenType.PARAMETER) {
                columns.add(++questions);
            } else if (token.isSymbol("$")
                    && next.type() == TokenType.NUMBER
                    && next.start() == token.start() + 1
                    && next.text().matches("[1-9]\\d{0,3}")) {
                sql.append(text, copied, token.start()).append('?');
                columns.add(Integer.valueOf(next.text()));
                copied = next.start() + next.text().length();
            }
        }
        return all;
    }

    String verb() {
        return Tokens.of(sql).get(0).text();
    }

    OwnSql withoutLock() {
        List<Token> tokens = Tokens.of(sql);
        int from = tokens.size() - 1;
        while (!tokens.get(from).isWord("for")) {
            from--;
        }
        int behind = from;
        while (behind < tokens.size()
                && Tokens.words("limit offset fetch").stream().noneMatch(tokens.get(behind)::isWord)) {
            behind++;
        }
        String paging =
                behind < tokens.size() ? sql.substring(tokens.get(behind).start()) : "";
        return new OwnSql(sql.substring(0, tokens.get(from).start()) + paging, columns);
    }

    public Object[] binds(List<Object> key) {
        return columns.stream().map(column -> key.get(column - 1)).toArray();
    }
}
