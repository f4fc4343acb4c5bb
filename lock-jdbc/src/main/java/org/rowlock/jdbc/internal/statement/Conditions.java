package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Token;
import org.rowlock.internal.text.Token.TokenType;
import org.rowlock.internal.text.Tokens;
import org.rowlock.jdbc.internal.statement.StatementShape.Equality;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/** Reads the conditions after WHERE. This class collects the equalities, and skips all other conditions. */
final class Conditions {
    static final Set<String> ENDS =
            Tokens.words("order limit offset fetch for returning group having window union intersect except");

    /** The second and later words of type names such as {@code double precision}. */
    private static final Set<String> TYPE_WORDS = Tokens.words("varying precision with without time zone");

    /** The largest depth of nested brackets that is read. Conditions in deeper brackets are skipped. */
    private static final int DEEPEST = 50;

    private final TokenReader tokens;
    private int depth;

    final List<Equality> equalities = new ArrayList<>();

    /** Whether an IN list names more than one row. */
    boolean severalRows;

    /** Whether the conditions contain an OR, inside or outside of brackets. */
    boolean alternatives;

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
        boolean read = readAll();
        text = tokens.textSince(mark);
        return read;
    }

    /** Reads conditions joined by AND. Returns false if an OR follows. */
    private boolean readAll() {
        do {
            readOne();
        } while (tokens.skipWord("and"));
        boolean or = tokens.atWord("or");
        alternatives |= or;
        return !or;
    }

    private void readOne() {
        int mark = tokens.mark();
        int known = equalities.size();
        if (readEquality() && atTermEnd()) {
            return;
        }
        forget(mark, known);
        if (tokens.atSymbol("(") && depth < DEEPEST) {
            tokens.next();
            depth++;
            boolean read = readAll() && tokens.skipSymbol(")") && atTermEnd();
            depth--;
            if (read) {
                return;
            }
        }
        forget(mark, known);
        skipTerm();
    }

    private void forget(int mark, int known) {
        tokens.reset(mark);
        equalities.subList(known, equalities.size()).clear();
    }

    private boolean atTermEnd() {
        return tokens.atEnd()
                || tokens.atWord("and")
                || tokens.atWord("or")
                || tokens.atSymbol(")")
                || tokens.atSymbol(";")
                || tokens.atWord(ENDS);
    }

    private void skipTerm() {
        others = true;
        int cases = 0;
        boolean between = false;
        while (!tokens.atEnd() && !tokens.atSymbol(")") && !tokens.atSymbol(";")) {
            if (tokens.atWord("case")) {
                cases++;
            } else if (tokens.atWord("end")) {
                cases--;
            } else if (tokens.atWord("between")) {
                between = true;
            } else if (cases <= 0 && between && tokens.atWord("and")) {
                between = false;
            } else if (cases <= 0 && atTermEnd()) {
                return;
            }
            tokens.skipOne();
        }
    }

    /** Reads an equality: {@code a = ?}, {@code a in (?)}, {@code (a, b) = (?, ?)} or {@code (a, b) in ((?, ?))}. */
    private boolean readEquality() {
        int mark = tokens.mark();
        Value first = readValue();
        if (first != null && tokens.skipSymbol("=")) {
            String column = readColumn();
            return column != null && equalities.add(new Equality(column, first));
        }
        tokens.reset(mark);
        List<String> columns = readColumns();
        if (columns.isEmpty()) {
            return false;
        }
        if (tokens.skipSymbol("=")) {
            return readOneRow(columns);
        }
        return tokens.skipWord("in") && readList(columns);
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

    /** Reads an IN list that contains one value or one row of values. Returns false if the list contains several. */
    private boolean readList(List<String> columns) {
        if (!tokens.skipSymbol("(")) {
            return false;
        }
        boolean read = readOneRow(columns);
        severalRows |= read && tokens.atSymbol(",");
        return read && tokens.skipSymbol(")");
    }

    private boolean readOneRow(List<String> columns) {
        return columns.size() > 1 ? readRow(columns) : readEqual(columns.get(0));
    }

    private boolean readRow(List<String> columns) {
        tokens.skipWord("row");
        if (!tokens.skipSymbol("(")) {
            return false;
        }
        for (int i = 0; i < columns.size(); i++) {
            if ((i > 0 && !tokens.skipSymbol(",")) || !readEqual(columns.get(i))) {
                return false;
            }
        }
        return tokens.skipSymbol(")");
    }

    private boolean readEqual(String column) {
        Value value = readValue();
        return value != null && equalities.add(new Equality(column, value));
    }

    private @Nullable String readColumn() {
        String column = null;
        do {
            if (!tokens.peek().isName()) {
                return null;
            }
            column = tokens.next().text();
        } while (tokens.skipSymbol("."));
        return column;
    }

    private @Nullable Value readValue() {
        if (depth >= DEEPEST) {
            return null;
        }
        depth++;
        Value value = readOneValue();
        depth--;
        return value;
    }

    private @Nullable Value readOneValue() {
        if (tokens.skipSymbol("(")) {
            Value value = readValue();
            return value != null && tokens.skipSymbol(")") && skipCasts() ? value : null;
        }
        if (tokens.atWord("cast") && tokens.peek(1).isSymbol("(")) {
            tokens.next();
            tokens.next();
            Value value = readValue();
            return value != null && tokens.skipWord("as") && skipType() && tokens.skipSymbol(")") && skipCasts()
                    ? value
                    : null;
        }
        // A type may precede a string, as in uuid '...'.
        if (tokens.peek().type() == TokenType.WORD && tokens.peek(1).type() == TokenType.STRING) {
            tokens.next();
        }
        boolean negative = tokens.skipSymbol("-");
        Token token = tokens.next();
        if (negative) {
            return token.type() == TokenType.NUMBER && skipCasts() ? new Literal('-' + token.text()) : null;
        }
        return switch (token.type()) {
            case PARAMETER -> skipCasts() ? new Parameter(Integer.parseInt(token.text())) : null;
            case NUMBER, STRING -> skipCasts() ? new Literal(token.text()) : null;
            default -> null;
        };
    }

    /** Skips all casts. Returns false if the type of a cast is missing or an array. */
    private boolean skipCasts() {
        while (tokens.skipSymbol("::")) {
            if (!skipType()) {
                return false;
            }
        }
        return true;
    }

    private boolean skipType() {
        if (readColumn() == null) {
            return false;
        }
        while (tokens.atWord(TYPE_WORDS) || tokens.atSymbol("(")) {
            tokens.skipOne();
        }
        // Arrays are not supported as values of a key.
        return !tokens.atSymbol("[");
    }
}
