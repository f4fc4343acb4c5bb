package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.text.Tokens;

/**
 * A table of a statement.
 *
 * @param name its name as SQL writes it, quoted only if it must be
 * @param reference its alias, or the last part of its name
 * @param text the whole reference, unchanged
 */
record TableReference(String name, String reference, String text) {
    /** The words that may follow a table without being its alias. */
    private static final Set<String> AFTER_TABLE =
            Tokens.words("where set using from returning join inner left right full cross natural tablesample"
                    + " on order limit offset fetch for group having window union intersect except");

    private static final Set<String> NO_TABLES = Tokens.words("select lateral rows");

    /** The largest number of parts of a name: database, schema and table. */
    private static final int MOST_PARTS = 3;

    /** Reads a table with its alias. Returns null if no table follows, or if the form of the reference is unknown. */
    static @Nullable TableReference read(TokenReader tokens) {
        int mark = tokens.mark();
        tokens.skipWord("only");
        List<String> parts = readParts(tokens);
        if (parts.isEmpty() || tokens.atSymbol("(")) {
            return null;
        }
        tokens.skipSymbol("*");
        String reference = parts.get(parts.size() - 1);
        if (tokens.skipWord("as") || (tokens.peek().isName() && !tokens.atWord(AFTER_TABLE))) {
            if (!tokens.peek().isName() || tokens.peek(1).isSymbol("(")) {
                return null;
            }
            reference = tokens.next().text();
        }
        return of(parts, reference, tokens.textSince(mark));
    }

    /** Reads the table of an INSERT, which has no alias. Returns null if no table follows. */
    static @Nullable TableReference readTarget(TokenReader tokens) {
        List<String> parts = readParts(tokens);
        return parts.isEmpty() ? null : of(parts, parts.get(parts.size() - 1), "");
    }

    private static TableReference of(List<String> parts, String reference, String text) {
        String quoted = parts.stream().map(TableName::quoteIdentifier).collect(Collectors.joining("."));
        return new TableReference(TableName.normalize(quoted), reference, text);
    }

    /** Reads the parts of a name. Returns an empty list if no name follows. */
    private static List<String> readParts(TokenReader tokens) {
        List<String> parts = new ArrayList<>();
        do {
            String part = tokens.peek().text();
            if (!tokens.peek().isName() || part.isEmpty() || part.indexOf(0) >= 0 || tokens.atWord(NO_TABLES)) {
                return List.of();
            }
            parts.add(tokens.next().text());
        } while (tokens.skipSymbol("."));
        return parts.size() > MOST_PARTS ? List.of() : parts;
    }
}
