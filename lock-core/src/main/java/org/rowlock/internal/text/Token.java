package org.rowlock.internal.text;

/**
 * A token of SQL.
 *
 * @param text a word or name as in the catalog, a string without its quotes, or the number of a parameter
 */
public record Token(TokenType type, String text, int start) {
    public static final Token END = new Token(TokenType.END, "", Integer.MAX_VALUE);

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
