package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.text.Token;
import org.rowlock.internal.text.Token.TokenType;
import org.rowlock.internal.text.Tokens;

/** Reads tokens in order, and can return to a mark. */
final class TokenReader {
    /** The largest number of parts of a name: database, schema and table. */
    private static final int MOST_PARTS = 3;

    private final String sql;
    private final List<Token> tokens;
    private int at;

    TokenReader(String sql) {
        this.sql = sql;
        this.tokens = Tokens.of(sql);
    }

    int count(TokenType type) {
        return (int) tokens.stream().filter(token -> token.type() == type).count();
    }

    Token peek() {
        return peek(0);
    }

    private Token peek(int ahead) {
        return at + ahead < tokens.size() ? tokens.get(at + ahead) : Token.END;
    }

    Token next() {
        Token token = peek();
        at++;
        return token;
    }

    int mark() {
        return at;
    }

    String textSince(int mark) {
        int end = Math.min(peek().start(), sql.length());
        return mark < at ? sql.substring(tokens.get(mark).start(), end) : "";
    }

    void reset(int mark) {
        at = mark;
    }

    boolean atEnd() {
        return peek().type() == TokenType.END;
    }

    boolean atSymbol(String symbol) {
        return peek().isSymbol(symbol);
    }

    boolean atWord(String word) {
        return peek().isWord(word);
    }

    boolean atWord(Set<String> words) {
        return peek().type() == TokenType.WORD && words.contains(peek().text());
    }

    boolean skipWord(String word) {
        return skipIf(atWord(word));
    }

    boolean skipSymbol(String symbol) {
        return skipIf(atSymbol(symbol));
    }

    boolean skipWords(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!peek(i).isWord(words[i])) {
                return false;
            }
        }
        at += words.length;
        return true;
    }

    /**
     * Skips one token. If the token is an opening bracket or CASE, skips everything up to and including the closing
     * bracket or END.
     */
    void skipOne() {
        int depth = 0;
        do {
            Token token = next();
            if (token.isSymbol("(") || token.isSymbol("[") || token.isWord("case")) {
                depth++;
            } else if (token.isSymbol(")") || token.isSymbol("]") || token.isWord("end")) {
                depth--;
            }
        } while (depth > 0 && !atEnd());
    }

    /**
     * Skips tokens, and brackets with their content, up to one of the given words, a closing bracket, a semicolon or
     * the end.
     */
    void skipTo(Set<String> words) {
        while (!atEnd() && !atSymbol(";") && !atSymbol(")") && !atWord(words)) {
            skipOne();
        }
    }

    /** Reads the name of a table. Returns null if no name follows. */
    @Nullable
    String readName() {
        List<String> parts = new ArrayList<>();
        do {
            Token part = next();
            if (!part.isName() || part.text().isEmpty() || part.text().indexOf(0) >= 0) {
                return null;
            }
            parts.add(TableName.quoteIdentifier(part.text()));
        } while (skipSymbol("."));
        return parts.size() > MOST_PARTS ? null : TableName.normalize(String.join(".", parts));
    }

    private boolean skipIf(boolean condition) {
        if (condition) {
            at++;
        }
        return condition;
    }
}
