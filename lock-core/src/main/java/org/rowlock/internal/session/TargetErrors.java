package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockSerializationException;
import org.rowlock.LockTargetException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowAbsentException;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.SqlState;

/**
 * Creates the exceptions for tables, ids and rows that do not exist, or that are not locked as requested. Recognises id
 * columns that have changed.
 */
public final class TargetErrors {
    private static final int MOST_NAMED = 5;

    static final String PRIVILEGES =
            "Grant the role what FOR UPDATE needs: USAGE on the schema, SELECT and UPDATE on the table";

    static final String NO_TABLE = "is a view, a foreign table, an index, a sequence or the like, and only a table or a"
            + " partitioned table has rows to lock by key. Name the underlying table.";

    private static final String NOT_INSERTED = " after the INSERT of orInsert(): it inserts another id, a trigger or a"
            + " rule prevents it, or a row with another id has the same value in a unique column. Correct the INSERT.";

    private TargetErrors() {}

    static LockTargetException cannot(String what, String why, @Nullable String sqlState) {
        return new LockTargetException("Cannot lock " + what + ": " + why, sqlState, null);
    }

    public static RowlockException rowAbsent(Description request, List<LockKey> absent) {
        return absent(request, absent, ". Insert it first, or add allowAbsent() if a row may be missing.");
    }

    /** Returns the exception for a required row that the role may read, but not lock. */
    public static RowlockException notLockable(Description request, LockKey key) {
        String why = "SELECT shows the row " + key + ", and FOR UPDATE does not: row security allows this role to read"
                + " it, but not to lock it. Extend the policies for UPDATE (USING) to this row, or lock as another"
                + " role.";
        return cannot(request.what(), why, SqlState.INSUFFICIENT_PRIVILEGE);
    }

    /**
     * Returns the exception for rows that their INSERT has not created.
     *
     * @param undone whether the transaction is as it was before the call
     */
    public static RowlockException notInserted(Description request, List<LockKey> absent, boolean undone) {
        return absent(
                request,
                absent,
                NOT_INSERTED + (undone ? " Nothing is inserted or locked." : ' ' + LockErrors.ABORTED + '.'));
    }

    private static RowlockException absent(Description request, List<LockKey> absent, String why) {
        String keys = absent.stream().limit(MOST_NAMED).map(LockKey::toString).collect(Collectors.joining(", "));
        String more = absent.size() > MOST_NAMED ? " and " + (absent.size() - MOST_NAMED) + " more" : "";
        return request.cannot(RowAbsentException::new, "there is no row " + keys + more + why, null, null);
    }

    /** Returns the exception for id columns that have changed since they were looked up. */
    public static RowlockException stale(Description request, boolean undone) {
        String why = "the table, its primary key or the type of its id was replaced since it was looked up. "
                + (undone ? "Nothing is locked; try again." : LockErrors.ABORTED + " and run it again.");
        return request.cannot(LockSerializationException::new, why, SqlState.SERIALIZATION_FAILURE, null);
    }

    /** Returns the exception for an id that its column cannot hold, or that has a non-canonical spelling. */
    public static LockTargetException misfit(LockKey.Row key, RowTable.Column column, String part, String refusal) {
        String why = '"' + part + "\" for column " + typed(column) + ' ' + refusal + ". Nothing is locked.";
        return cannot(key.toString(), why, SqlState.INVALID_TEXT_REPRESENTATION);
    }

    /** Returns the exception for a relation that has no rows to lock by key, or that the transaction does not see. */
    public static LockTargetException noTable(IdColumns.Known known) {
        String why = known.kind().isEmpty() ? "is not in the transaction's snapshot." : NO_TABLE;
        return cannot("rows of " + known.table().name(), "it " + why, SqlState.WRONG_OBJECT_TYPE);
    }

    /** Returns the exception for a row lock on a table whose id columns are unknown. */
    public static LockTargetException withoutColumns(IdColumns.Known known) {
        if (known.table().columns().isEmpty()
                && !known.kind().equals("r")
                && !known.kind().equals("p")) {
            return noTable(known);
        }
        String rows = "rows of " + known.table().name();
        if (known.missing().isEmpty()) {
            String why = "it has no primary key, and strategies ROW and BOTH need to know the id columns. Add a primary"
                    + " key, give the columns with RowLocks.builder(..).idColumns(\""
                    + known.table().name() + "\", ...) (with Spring Boot rowlock.tables["
                    + known.table().name()
                    + "].id-columns), or use strategy ADVISORY.";
            return cannot(rows, why, null);
        }
        String why = "it has no column " + String.join(", ", known.missing())
                + ", which idColumns names. Columns are written as the catalog has them, without quotes.";
        return cannot(rows, why, SqlState.UNDEFINED_COLUMN);
    }

    /** Returns the exception for an id column whose type cannot be used in keys. */
    public static LockTargetException keyless(RowTable table, RowTable.Column column) {
        String why = "a value of its id column " + typed(column)
                + " may have several texts, depending on its type, its collation or settings of the session, so that"
                + " one row could have two keys. Use strategy ROW, which needs no key, or lock by another unique column"
                + " (idColumns) or by LockKey.name(). Nothing is locked.";
        return cannot("rows of " + table.name() + " by keys", why, SqlState.FEATURE_NOT_SUPPORTED);
    }

    private static String typed(RowTable.Column column) {
        return column.name() + " of type "
                + column.type().replace("pg_catalog.", "").replace("\"", "");
    }

    public static LockTargetException wrongParts(LockKey.Row key, RowTable table) {
        List<String> columns =
                table.columns().stream().map(RowTable.Column::name).toList();
        String why = "the id has " + key.id().size() + " part(s), and the id of " + table.name() + " is " + columns
                + ". Give one value per column, in that order.";
        return cannot(key.toString(), why, null);
    }

    /** Returns the advice for an error about the table, its columns or an id; null for any other error. */
    static @Nullable String advice(String state) {
        return switch (state) {
            case SqlState.UNDEFINED_TABLE -> "Check the name, its quotes and the session's search_path";
            case SqlState.INSUFFICIENT_PRIVILEGE ->
                PRIVILEGES + ". Other statements of the same flush may need further privileges";
            case SqlState.UNDEFINED_COLUMN, SqlState.UNDEFINED_FUNCTION ->
                "If the table was replaced meanwhile, roll back and try again; otherwise check the id columns given in"
                        + " RowLocksBuilder";
            case SqlState.FEATURE_NOT_SUPPORTED ->
                "If the table is distributed over machines (Citus), its id must include the distribution column";
            case SqlState.WRONG_OBJECT_TYPE, SqlState.INVALID_SCHEMA_NAME, SqlState.INVALID_NAME ->
                "Name a table whose rows FOR UPDATE can lock";
            default ->
                state.startsWith(SqlState.DATA_EXCEPTION_CLASS) ? "Give an id that the column's type can hold" : null;
        };
    }

    /** Returns the exception for a query that may have read a row without a lock on this row. */
    public static LockSerializationException replaced(Description request) {
        String why = "the row was inserted while the call waited, perhaps in place of a deleted row, so the query after"
                + " the lock read a row that is not locked. " + LockErrors.ABORTED + " and run it again.";
        return request.cannot(LockSerializationException::new, why, SqlState.SERIALIZATION_FAILURE, null);
    }

    /** Returns the exception for a statement that has locked more or fewer keys than requested, without an error. */
    public static LockVerificationException miscounted(Description request, int locked, int keys, boolean stored) {
        String why = "the server has locked " + locked + " of " + keys + " advisory keys and reports no error, so"
                + " other transactions are not excluded. " + (stored ? "The writes are stored" : LockErrors.ABORTED)
                + ". Use strategy ROW, and report this fault with the version of the server: RowLocks.verify() checks"
                + " every form of lock.";
        return request.cannot(LockVerificationException::new, why, null, null);
    }

    /**
     * Whether an error of parse analysis shows that the id columns have changed since they were looked up; see {@link
     * RowSql#identityQuery}.
     */
    public static boolean isIdentityGone(List<RowTable> tables, SQLException e) {
        String message = ServerErrors.message(e);
        return switch (SqlState.of(e)) {
            case SqlState.UNDEFINED_COLUMN, SqlState.GROUPING_ERROR -> message.contains(RowSql.IDENTITY_ALIAS + '.');
            case SqlState.UNDEFINED_FUNCTION -> message.contains(RowSql.TYPE_CHECK);
            // The checked types are arrays. The message contains their names without quotes.
            case SqlState.UNDEFINED_OBJECT ->
                tables.stream()
                        .flatMap(table -> table.columns().stream())
                        .anyMatch(column -> message.contains(column.arrayType().replace("\"", "")));
            default -> false;
        };
    }
}
