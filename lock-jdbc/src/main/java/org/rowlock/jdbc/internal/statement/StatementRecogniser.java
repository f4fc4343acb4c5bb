package org.rowlock.jdbc.internal.statement;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.Token;
import org.rowlock.internal.text.Tokens;
import org.rowlock.jdbc.internal.statement.StatementShape.Kind;
import org.rowlock.jdbc.internal.statement.StatementShape.PassedThrough;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Waiting;

/**
 * Recognises statements that lock rows of one table and select the rows by equality: SELECT with a locking clause,
 * UPDATE and DELETE. This class is not a full parser. Any unfamiliar form of a statement is reported as unknown.
 */
public final class StatementRecogniser {
    public static final int LONGEST = Tokens.LONGEST;

    /** The first words of statements that are assumed to lock no rows. */
    private static final Set<String> HARMLESS =
            Tokens.words("values show set reset begin start commit end rollback abort savepoint release close"
                    + " deallocate listen unlisten notify");

    private static final Set<String> OTHER_WRITES =
            Tokens.words("insert merge call do copy lock truncate execute prepare explain declare create alter drop");

    /** The words that show that a statement beginning with WITH may lock rows. */
    private static final Set<String> LOCKS_IN_WITH = Tokens.words("insert update delete merge for");

    private static final Set<String> SET_OPERATIONS = Tokens.words("group having window union intersect except");

    private static final Set<String> JOINS = Tokens.words("join inner left right full cross natural using from");

    private static final Set<String> END_OF_LIST = Tokens.words("from into where for union intersect except");
    private static final Set<String> END_OF_SET = Tokens.words("from where returning");
    private static final Set<String> END_OF_ORDER = Tokens.words("for group having window union intersect except");
    private static final Set<String> PAGING = Tokens.words("limit offset fetch");
    private static final Set<String> NOTHING = Set.of();

    private final TokenReader tokens;

    private final int parameters;

    private StatementRecogniser(String sql, List<Token> tokens) {
        this.tokens = new TokenReader(sql, tokens);
        this.parameters = (int) tokens.stream()
                .filter(token -> token.type() == Token.TokenType.PARAMETER)
                .count();
    }

    /** Recognises the statement in a text. Never throws an exception. */
    public static StatementShape recognise(String sql) {
        int start = Tokens.start(sql);
        String first = wordAt(sql, start);
        if (start == sql.length() || !mayLock(first, sql, start)) {
            return new PassedThrough(PassReason.NOT_LOCKING);
        }
        if (sql.length() > LONGEST) {
            return new PassedThrough(PassReason.TOO_LONG);
        }
        List<Token> tokens = Tokens.of(sql);
        return hasSeveralStatements(tokens)
                ? new PassedThrough(PassReason.SEVERAL_STATEMENTS)
                : new StatementRecogniser(sql, tokens).read(first, tokens);
    }

    /** Whether a text may lock rows. This is a quick test without tokens, because most statements are plain reads. */
    private static boolean mayLock(String first, String sql, int start) {
        boolean select = first.equals("select");
        return !(select || HARMLESS.contains(first)) || sql.indexOf(';', start) >= 0 || (select && hasFor(sql, start));
    }

    private static boolean hasFor(String sql, int start) {
        for (int at = start + 1; at + 3 < sql.length(); at++) {
            if ((sql.charAt(at) == 'f' || sql.charAt(at) == 'F')
                    && sql.regionMatches(true, at, "for", 0, 3)
                    && !Tokens.isNamePart(sql.charAt(at - 1))
                    && !Tokens.isNamePart(sql.charAt(at + 3))) {
                return true;
            }
        }
        return false;
    }

    private static String wordAt(String sql, int start) {
        int end = start;
        while (end < sql.length() && Tokens.isNamePart(sql.charAt(end))) {
            end++;
        }
        return sql.substring(start, end).toLowerCase(Locale.ROOT);
    }

    private static boolean hasSeveralStatements(List<Token> tokens) {
        return tokens.stream().dropWhile(token -> !token.isSymbol(";")).anyMatch(token -> !token.isSymbol(";"));
    }

    private StatementShape read(String first, List<Token> all) {
        tokens.next();
        return switch (first) {
            case "select" -> readSelect(all);
            case "update" -> readUpdate();
            case "delete" -> readDelete();
            case "insert" -> readInsert();
            case "with" ->
                new PassedThrough(
                        all.stream()
                                        .anyMatch(token -> token.type() == Token.TokenType.WORD
                                                && LOCKS_IN_WITH.contains(token.text()))
                                ? PassReason.WITH
                                : PassReason.NOT_LOCKING);
            default ->
                new PassedThrough(
                        HARMLESS.contains(first)
                                ? PassReason.NOT_LOCKING
                                : OTHER_WRITES.contains(first) ? PassReason.OTHER_WRITE : PassReason.UNKNOWN_FORM);
        };
    }

    private StatementShape readSelect(List<Token> all) {
        tokens.skipTo(END_OF_LIST);
        if (!tokens.skipWord("from")) {
            return withoutLock(all, PassReason.UNKNOWN_FORM);
        }
        TableReference table = TableReference.read(tokens);
        if (table == null || tokens.atSymbol(",") || tokens.atWord(JOINS)) {
            return withoutLock(all, PassReason.JOIN);
        }
        Conditions conditions = new Conditions(tokens);
        if (!conditions.readWhere()) {
            return withoutLock(all, PassReason.OR);
        }
        tokens.skipTo(END_OF_ORDER);
        if (!tokens.skipWord("for")) {
            return withoutLock(all, PassReason.UNKNOWN_FORM);
        }
        RowLockMode mode = readMode();
        if (mode == null || !readLockedTable(table)) {
            return new PassedThrough(PassReason.UNKNOWN_FORM);
        }
        Waiting waiting = readWaiting();
        if (tokens.atWord(PAGING)) {
            tokens.skipTo(SET_OPERATIONS);
        }
        return recognised(Kind.SELECT, table, mode, waiting, conditions, true);
    }

    /**
     * Returns the shape of a SELECT in which no locking clause was found. The statement is a plain read if FOR is part
     * of something else, as in {@code substring(name for 3)}. Otherwise the given reason says why the statement was not
     * recognised.
     */
    private static StatementShape withoutLock(List<Token> all, PassReason reason) {
        for (int i = 0; i + 1 < all.size(); i++) {
            Token next = all.get(i + 1);
            if (all.get(i).isWord("for")
                    && (next.isWord("update") || next.isWord("no") || next.isWord("share") || next.isWord("key"))) {
                return new PassedThrough(reason);
            }
        }
        return new PassedThrough(PassReason.NOT_LOCKING);
    }

    private @Nullable RowLockMode readMode() {
        if (tokens.skipWord("update")) {
            return RowLockMode.FOR_UPDATE;
        }
        if (tokens.skipWords("no", "key", "update")) {
            return RowLockMode.FOR_NO_KEY_UPDATE;
        }
        if (tokens.skipWord("share")) {
            return RowLockMode.FOR_SHARE;
        }
        return tokens.skipWords("key", "share") ? RowLockMode.FOR_KEY_SHARE : null;
    }

    /**
     * Reads the optional OF of a locking clause. Returns false if the name after OF is not a name of the statement's
     * table.
     */
    private boolean readLockedTable(TableReference table) {
        return !tokens.skipWord("of")
                || (tokens.peek().isName() && tokens.next().text().equals(table.reference()));
    }

    private Waiting readWaiting() {
        if (tokens.skipWord("nowait")) {
            return Waiting.NOWAIT;
        }
        return tokens.skipWords("skip", "locked") ? Waiting.SKIP_LOCKED : Waiting.WAIT;
    }

    private StatementShape readUpdate() {
        TableReference table = TableReference.read(tokens);
        if (table == null || !tokens.skipWord("set")) {
            return new PassedThrough(PassReason.UNKNOWN_FORM);
        }
        tokens.skipTo(END_OF_SET);
        return readWrite(Kind.UPDATE, table, RowLockMode.FOR_NO_KEY_UPDATE);
    }

    private StatementShape readDelete() {
        TableReference table = tokens.skipWord("from") ? TableReference.read(tokens) : null;
        return table == null
                ? new PassedThrough(PassReason.UNKNOWN_FORM)
                : readWrite(Kind.DELETE, table, RowLockMode.FOR_UPDATE);
    }

    private StatementShape readInsert() {
        TableReference table = tokens.skipWord("into") ? TableReference.readTarget(tokens) : null;
        if (tokens.atSymbol("(")) {
            tokens.skipOne();
        }
        boolean values = tokens.skipWord("values") && tokens.atSymbol("(");
        tokens.skipOne();
        tokens.skipSymbol(";");
        return table != null && values && tokens.atEnd()
                ? new PassedThrough(PassReason.OTHER_WRITE, table.name(), parameters)
                : new PassedThrough(PassReason.OTHER_WRITE);
    }

    private StatementShape readWrite(Kind kind, TableReference table, RowLockMode mode) {
        if (tokens.atWord(JOINS)) {
            return new PassedThrough(PassReason.JOIN);
        }
        if (tokens.skipWords("where", "current", "of")) {
            return new PassedThrough(PassReason.CURSOR);
        }
        Conditions conditions = new Conditions(tokens);
        if (!conditions.readWhere()) {
            return new PassedThrough(PassReason.OR);
        }
        boolean returning = tokens.skipWord("returning");
        if (returning) {
            tokens.skipTo(NOTHING);
        }
        return recognised(kind, table, mode, Waiting.WAIT, conditions, returning);
    }

    private StatementShape recognised(
            Kind kind,
            TableReference table,
            RowLockMode mode,
            Waiting waiting,
            Conditions conditions,
            boolean returnsRows) {
        tokens.skipSymbol(";");
        if (!tokens.atEnd() && !tokens.atSymbol(";")) {
            return new PassedThrough(PassReason.UNKNOWN_FORM);
        }
        if (conditions.equalities.isEmpty()) {
            return new PassedThrough(
                    conditions.severalRows
                            ? PassReason.SEVERAL_ROWS
                            : conditions.alternatives ? PassReason.OR : PassReason.NO_KEY);
        }
        return new Recognised(
                kind,
                table.name(),
                mode,
                waiting,
                conditions.equalities,
                conditions.others,
                "select from " + table.text() + " where " + conditions.text,
                returnsRows,
                parameters);
    }
}
