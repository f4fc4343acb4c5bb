package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.text.Token;

/**
 * A table of a statement.
 *
 * @param name its name as SQL writes it, quoted only if it must be
 * @param text the whole reference, unchanged
 */
record TableReference(String name, String text) {
    /**
     * The words that can follow a table and are not its alias. Any other word is read as an alias, even a word such as
     * JOIN: the rest of the statement is then not recognised.
     */
    private static final Set<String> NO_ALIAS = Set.of("where", "set");

    /** The largest number of parts of a name: database, schema and table. */
    private static final int MOST_PARTS = 3;

    /** Reads a table with its alias. Returns null if no table follows. */
    static @Nullable TableReference read(TokenReader tokens) {
        int mark = tokens.mark();
        tokens.skipWord("only");
        String name = readName(tokens);
        if ((tokens.skipWord("as") || !tokens.atWord(NO_ALIAS)) && tokens.peek().isName()) {
            tokens.next();
        }
        return name == null ? null : new TableReference(name, tokens.textSince(mark));
    }

    /** Reads the name of a table. Returns null if no name follows. */
    static @Nullable String readName(TokenReader tokens) {
        List<String> parts = new ArrayList<>();
        do {
            Token part = tokens.next();
            if (!part.isName() || part.text().isEmpty() || part.text().indexOf(0) >= 0) {
                return null;
            }
            parts.add(TableName.quoteIdentifier(part.text()));
        } while (tokens.skipSymbol("."));
        return parts.size() > MOST_PARTS ? null : TableName.normalize(String.join(".", parts));
    }
}
