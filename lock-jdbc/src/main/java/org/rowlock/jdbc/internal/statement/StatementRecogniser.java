package org.rowlock.jdbc.internal.statement;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.Token;
import org.rowlock.internal.text.Token.TokenType;
import org.rowlock.internal.text.Tokens;

/**
 * Recognises statements that lock rows of one table and select the rows by equality: SELECT with a locking clause,
 * UPDATE and DELETE. This class is not a full parser. Any unfamiliar form of a statement is not recognised.
 */
public final class StatementRecogniser {
    public static final int LONGEST = Tokens.LONGEST;

    /** The first words of statements that lock no rows, unless the text matches {@link #LOCKS} or {@link #WRITES}. */
    private static final Set<String> HARMLESS =
            Tokens.words("select with values show set reset begin start commit end rollback abort savepoint release"
                    + " close deallocate listen unlisten notify");

    /** Matches every text with a locking clause or a second statement, and some other texts. */
    private static final Pattern LOCKS = Pattern.compile(
            "\\bfor\\b(?!\\s+(?!(update|no|share|key)\\b)\\w)|;\\s*[\\w({/-]", Pattern.CASE_INSENSITIVE);

    /** Matches a text that may change rows; applied only to texts that begin with WITH. */
    private static final Pattern WRITES =
            Pattern.compile("\\b(insert|update|delete|merge)\\b", Pattern.CASE_INSENSITIVE);

    private static final Set<String> END_OF_LIST = Tokens.words("from into where for union intersect except");
    private static final Set<String> END_OF_SET = Tokens.words("from where returning");
    private static final Set<String> END_OF_ORDER = Tokens.words("for group having window union intersect except");

    /** If one of these words follows a locking clause, the statement locks other rows too, or does not wait. */
    private static final Set<String> AFTER_LOCK = Tokens.words("for nowait skip union intersect except");

    private final TokenReader tokens;
    private final int parameters;

    private StatementRecogniser(String sql) {
        this.tokens = new TokenReader(sql);
        this.parameters = tokens.count(TokenType.PARAMETER);
    }

    /** Recognises the statement in a text. Never throws an exception. */
    public static StatementShape recognise(String sql) {
        int start = Tokens.start(sql);
        if (start == sql.length() || !mayLock(wordAt(sql, start), sql)) {
            return StatementShape.PLAIN;
        }
        return sql.length() > LONGEST ? StatementShape.OTHER : new StatementRecogniser(sql).read();
    }

    /** Whether a text may lock rows. This is a quick test without tokens, because most statements are plain reads. */
    private static boolean mayLock(String first, String sql) {
        return !HARMLESS.contains(first)
                || LOCKS.matcher(sql).find()
                || (first.equals("with") && WRITES.matcher(sql).find());
    }

    private static String wordAt(String sql, int start) {
        int end = start;
        while (end < sql.length() && Tokens.isNamePart(sql.charAt(end))) {
            end++;
        }
        return sql.substring(start, end).toLowerCase(Locale.ROOT);
    }

    private StatementShape read() {
        Token first = tokens.next();
        return switch (first.text()) {
            case "select" -> readSelect();
            case "update" -> readUpdate();
            case "delete" -> readDelete();
            case "insert" -> readInsert();
            default -> StatementShape.OTHER;
        };
    }

    private StatementShape readSelect() {
        tokens.skipTo(END_OF_LIST);
        TableReference table = tokens.skipWord("from") ? TableReference.read(tokens) : null;
        Conditions conditions = new Conditions(tokens);
        if (!conditions.readWhere()) {
            return StatementShape.OTHER;
        }
        tokens.skipTo(END_OF_ORDER);
        RowLockMode mode = readMode();
        tokens.skipTo(AFTER_LOCK);
        return mode == null ? StatementShape.OTHER : shape(table, mode, conditions, true);
    }

    private @Nullable RowLockMode readMode() {
        for (RowLockMode mode : RowLockMode.values()) {
            if (tokens.skipWords(mode.name().toLowerCase(Locale.ROOT).split("_"))) {
                return mode;
            }
        }
        return null;
    }

    private StatementShape readUpdate() {
        TableReference table = TableReference.read(tokens);
        tokens.skipTo(END_OF_SET);
        return readWrite(table, RowLockMode.FOR_NO_KEY_UPDATE);
    }

    private StatementShape readDelete() {
        return readWrite(tokens.skipWord("from") ? TableReference.read(tokens) : null, RowLockMode.FOR_UPDATE);
    }

    private StatementShape readWrite(@Nullable TableReference table, RowLockMode mode) {
        Conditions conditions = new Conditions(tokens);
        if (!conditions.readWhere()) {
            return StatementShape.OTHER;
        }
        boolean returning = tokens.skipWord("returning");
        if (returning) {
            tokens.skipTo(Set.of());
        }
        return shape(table, mode, conditions, returning);
    }

    private StatementShape readInsert() {
        String table = tokens.skipWord("into") ? TableReference.readName(tokens) : null;
        if (tokens.atSymbol("(")) {
            tokens.skipOne();
        }
        boolean values = tokens.skipWord("values") && tokens.atSymbol("(");
        tokens.skipOne();
        tokens.skipSymbol(";");
        return table != null && values && tokens.atEnd()
                ? StatementShape.insert(table, parameters)
                : StatementShape.OTHER;
    }

    private StatementShape shape(
            @Nullable TableReference table, RowLockMode mode, Conditions conditions, boolean returnsRows) {
        tokens.skipSymbol(";");
        if (table == null || !tokens.atEnd() || conditions.equalities.isEmpty()) {
            return StatementShape.OTHER;
        }
        return new StatementShape(
                true,
                table.name(),
                mode,
                conditions.equalities,
                conditions.others,
                "select from " + table.text() + " where " + conditions.text,
                returnsRows,
                parameters);
    }
}
