package org.rowlock.jdbc.internal.statement;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.Token.TokenType;
import org.rowlock.internal.text.Tokens;

/**
 * Recognises statements that lock rows of one table and select the rows by equality: SELECT with a locking clause,
 * UPDATE and DELETE. This class is not a full parser. Any unfamiliar form of a statement is not recognised.
 */
public final class StatementRecogniser {
    /** The first words of statements that lock no rows, unless the text matches {@link #LOCKS} or {@link #WRITES}. */
    private static final Pattern HARMLESS = Pattern.compile(
            "(select|with|values|show|set|reset|begin|start|commit|end|rollback|abort|savepoint|release|close"
                    + "|deallocate|listen|unlisten|notify)(?![\\w$])",
            Pattern.CASE_INSENSITIVE);

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

    /**
     * The words that can follow a table and are not its alias. Any other word is read as an alias, even a word such as
     * JOIN: the rest of the statement is then not recognised.
     */
    private static final Set<String> NO_ALIAS = Set.of("where", "set");

    private final TokenReader tokens;
    private final Conditions conditions;
    private final int parameters;
    private @Nullable String table;

    /** The table with its alias, as in the text. */
    private String reference = "";

    private StatementRecogniser(String sql) {
        this.tokens = new TokenReader(sql);
        this.conditions = new Conditions(tokens);
        this.parameters = tokens.count(TokenType.PARAMETER);
    }

    /** Recognises the statement in a text. Never throws an exception. */
    public static StatementShape recognise(String sql) {
        int start = Tokens.start(sql);
        if (start == sql.length() || !mayLock(sql, start)) {
            return StatementShape.PLAIN;
        }
        return sql.length() > Tokens.LONGEST ? StatementShape.OTHER : new StatementRecogniser(sql).read();
    }

    /** Whether a text may lock rows. This is a quick test without tokens, because most statements are plain reads. */
    private static boolean mayLock(String sql, int start) {
        return !HARMLESS.matcher(sql).region(start, sql.length()).lookingAt()
                || LOCKS.matcher(sql).find()
                || (sql.regionMatches(true, start, "with", 0, "with".length())
                        && WRITES.matcher(sql).find());
    }

    private StatementShape read() {
        return switch (tokens.next().text()) {
            case "select" -> readSelect();
            case "update" -> readUpdate();
            case "delete" -> readDelete();
            case "insert" -> readInsert();
            default -> StatementShape.OTHER;
        };
    }

    private StatementShape readSelect() {
        tokens.skipTo(END_OF_LIST);
        if (tokens.skipWord("from")) {
            readTable();
        }
        if (!conditions.readWhere()) {
            return StatementShape.OTHER;
        }
        tokens.skipTo(END_OF_ORDER);
        RowLockMode mode = readMode();
        tokens.skipTo(AFTER_LOCK);
        return mode == null ? StatementShape.OTHER : shape(mode, true);
    }

    private void readTable() {
        int mark = tokens.mark();
        tokens.skipWord("only");
        table = tokens.readName();
        if ((tokens.skipWord("as") || !tokens.atWord(NO_ALIAS)) && tokens.peek().isName()) {
            tokens.next();
        }
        reference = table == null ? "" : tokens.textSince(mark);
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
        readTable();
        tokens.skipTo(END_OF_SET);
        return readWrite(RowLockMode.FOR_NO_KEY_UPDATE);
    }

    private StatementShape readDelete() {
        if (tokens.skipWord("from")) {
            readTable();
        }
        return readWrite(RowLockMode.FOR_UPDATE);
    }

    private StatementShape readWrite(RowLockMode mode) {
        if (!conditions.readWhere()) {
            return StatementShape.OTHER;
        }
        boolean returning = tokens.skipWord("returning");
        if (returning) {
            tokens.skipTo(Set.of());
        }
        return shape(mode, returning);
    }

    private StatementShape readInsert() {
        String into = tokens.skipWord("into") ? tokens.readName() : null;
        if (tokens.atSymbol("(")) {
            tokens.skipOne();
        }
        boolean values = tokens.skipWord("values") && tokens.atSymbol("(");
        tokens.skipOne();
        tokens.skipSymbol(";");
        return into != null && values && tokens.atEnd()
                ? StatementShape.unknown(true, into, parameters)
                : StatementShape.OTHER;
    }

    private StatementShape shape(RowLockMode mode, boolean returnsRows) {
        tokens.skipSymbol(";");
        if (table == null || !tokens.atEnd() || conditions.equalities.isEmpty()) {
            return StatementShape.OTHER;
        }
        return new StatementShape(
                true,
                table,
                mode,
                conditions.equalities,
                conditions.others,
                "select from " + reference + " where " + conditions.text,
                returnsRows,
                parameters);
    }
}
