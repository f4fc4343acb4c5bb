package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Token;
import org.rowlock.internal.text.Tokens;
import org.rowlock.jdbc.internal.statement.StatementShape.Equality;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/** Reads the conditions after WHERE. This class collects the equalities, and skips all other conditions. */
final class Conditions {
    private static final Set<String> ENDS =
            Tokens.words("and or order limit offset fetch for returning group having window union intersect except");

    /** The largest depth of nested brackets that is read. Conditions in deeper brackets are skipped. */
    private static final int DEEPEST = 50;

    private final TokenReader tokens;

    final List<Equality> equalities = new ArrayList<>();

    boolean others;

    String text = "";

    Conditions(TokenReader tokens) {
        this.tokens = tokens;
    }

    /** Reads the conditions, if a WHERE follows. Returns false if the conditions contain an OR outside of brackets. */
    boolean readWhere() {
        if (!tokens.skipWord("where")) {
            return true;
        }
        int mark = tokens.mark();
        boolean read = readAll(0);
        text = tokens.textSince(mark);
        return read;
    }

    /** Reads conditions joined by AND. Returns false if an OR follows. */
    private boolean readAll(int depth) {
        do {
            int mark = tokens.mark();
            int known = equalities.size();
            if (!(readEquality() && atTermEnd())) {
                forget(mark, known);
                if (!readBrackets(depth)) {
                    forget(mark, known);
                    skipTerm();
                }
            }
        } while (tokens.skipWord("and"));
        return !tokens.atWord("or");
    }

    private boolean readBrackets(int depth) {
        return depth < DEEPEST && tokens.skipSymbol("(") && readAll(depth + 1) && tokens.skipSymbol(")") && atTermEnd();
    }

    private void forget(int mark, int known) {
        tokens.reset(mark);
        equalities.subList(known, equalities.size()).clear();
    }

    private boolean atTermEnd() {
        return tokens.atEnd() || tokens.atSymbol(")") || tokens.atSymbol(";") || tokens.atWord(ENDS);
    }

    private void skipTerm() {
        others = true;
        while (!atTermEnd()) {
            boolean between = tokens.atWord("between");
            tokens.skipOne();
            // The AND of BETWEEN joins no conditions: in "x between y and id = ?", the parameter is not an id.
            if (between) {
                tokens.skipTo(ENDS);
                tokens.skipWord("and");
            }
        }
    }

    /** Reads an equality: {@code a = ?}, {@code a in (?)}, {@code (a, b) = (?, ?)} or {@code (a, b) in ((?, ?))}. */
    private boolean readEquality() {
        List<String> columns = readColumns();
        if (tokens.skipSymbol("=")) {
            return readRow(columns);
        }
        return tokens.skipWord("in") && tokens.skipSymbol("(") && readRow(columns) && tokens.skipSymbol(")");
    }

    /** Reads one column, or several in brackets. Returns an empty list if no column follows. */
    private List<String> readColumns() {
        List<String> columns = new ArrayList<>();
        boolean brackets = tokens.skipSymbol("(");
        do {
            String column = readColumn();
            if (column == null) {
                return List.of();
            }
            columns.add(column);
        } while (brackets && tokens.skipSymbol(","));
        return !brackets || tokens.skipSymbol(")") ? columns : List.of();
    }

    private @Nullable String readColumn() {
        Token part;
        do {
            part = tokens.next();
            if (!part.isName()) {
                return null;
            }
        } while (tokens.skipSymbol("."));
        return part.text();
    }

    private boolean readRow(List<String> columns) {
        boolean brackets = columns.size() > 1;
        if (columns.isEmpty() || (brackets && !tokens.skipSymbol("("))) {
            return false;
        }
        for (int i = 0; i < columns.size(); i++) {
            Value value = i == 0 || tokens.skipSymbol(",") ? readValue() : null;
            if (value == null) {
                return false;
            }
            equalities.add(new Equality(columns.get(i), value));
        }
        return !brackets || tokens.skipSymbol(")");
    }

    /** Reads a parameter, a number or a string, possibly with a cast. Returns null for any other value. */
    private @Nullable Value readValue() {
        boolean cast = tokens.skipWord("cast") && tokens.skipSymbol("(");
        Token token = tokens.next();
        if (cast && tokens.skipWord("as")) {
            tokens.skipTo(Set.of());
        }
        if ((cast && !tokens.skipSymbol(")")) || (tokens.skipSymbol("::") && readColumn() == null)) {
            return null;
        }
        return switch (token.type()) {
            case PARAMETER -> new Parameter(Integer.parseInt(token.text()));
            case NUMBER, STRING -> new Literal(token.text());
            default -> null;
        };
    }
}
