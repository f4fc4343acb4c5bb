package org.rowlock.internal.text;

/**
 * A token of SQL.
 *
 * @param text of a word and of a quoted name as the catalog has it, of a string without its quotes, of a parameter its
 *     number
 */
public record Token(TokenType type, String text) {
    public static final Token END = new Token(TokenType.END, "");

    public enum TokenType {
        WORD,
        QUOTED,
        NUMBER,
        STRING,
        PARAMETER,
        SYMBOL,
        END
    }

    public boolean isWord(String word) {
        return type == TokenType.WORD && text.equals(word);
    }

    public boolean isSymbol(String symbol) {
        return type == TokenType.SYMBOL && text.equals(symbol);
    }

    public boolean isName() {
        return type == TokenType.WORD || type == TokenType.QUOTED;
    }
}
