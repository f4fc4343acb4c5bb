package org.rowlock.jdbc.internal.statement;

/**
 * A token of SQL.
 *
 * @param text of a word and of a quoted name as the catalog has it, of a string without its quotes, of a parameter its
 *     number
 */
record Token(TokenType type, String text) {
    static final Token END = new Token(TokenType.END, "");

    enum TokenType {
        WORD,
        QUOTED,
        NUMBER,
        STRING,
        PARAMETER,
        SYMBOL,
        END
    }

    boolean isWord(String word) {
        return type == TokenType.WORD && text.equals(word);
    }

    boolean isSymbol(String symbol) {
        return type == TokenType.SYMBOL && text.equals(symbol);
    }

    boolean isName() {
        return type == TokenType.WORD || type == TokenType.QUOTED;
    }
}
