package org.rowlock.internal.session;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.text.Docs;
import org.rowlock.internal.text.Exceptions;
import org.rowlock.internal.text.SqlState;

/**
 * The exceptions for what is to be locked: a table, an id or a row that is not there, or is none that can be locked.
 */
public final class TargetErrors {
    /** Of the keys that a message is about. */
    private static final int MOST_NAMED = 5;

    private static final String UNSAID_REFUSAL =
            "is no value of it, or another spelling than its key has. Give it as in " + Docs.URL + "keys.md#ids";

    static final String PRIVILEGES =
            "Grant the role what FOR UPDATE needs: USAGE on the schema, SELECT and UPDATE on the table";

    static final String NO_TABLE = "is a view, a foreign table, an index, a sequence or the like, and only a table or a"
            + " partitioned table has rows to lock by key. Name the table behind it.";

    private TargetErrors() {}

    /** The exception for rows that are required and do not exist. */
    public static RowlockException rowAbsent(Asked asked, List<LockKey> absent) {
        return absent(asked, absent, ", and requireRow() asks for it. Insert it first, or lock without requireRow().");
    }

    /** The exception for rows that their INSERT has not made. */
    public static RowlockException notInserted(Asked asked, List<LockKey> absent) {
        return absent(
                asked,
                absent,
                " behind the INSERT of orInsert(): it inserts another id, a trigger or a rule keeps it from inserting,"
                        + " or a row of another id has the same value in a unique column. Mend the INSERT.");
    }

    private static RowlockException absent(Asked asked, List<LockKey> absent, String why) {
        String keys = absent.stream().limit(MOST_NAMED).map(asked.names()::of).collect(Collectors.joining(", "));
        return Exceptions.rowAbsent(LockErrors.cannot(asked) + "there is no row " + keys
                + (absent.size() > MOST_NAMED ? " and " + (absent.size() - MOST_NAMED) + " more" : "") + why);
    }

    /** The exception for a key that is required to have a row, where nothing looks for one. */
    public static RowlockException rowNotLookedFor(Asked asked, LockKey key) {
        return Exceptions.target(LockErrors.cannot(asked) + "requireRow() asks for a row, and nothing looks for one: "
                + asked.names().of(key)
                + (key instanceof LockKey.Row
                        ? " has strategy ADVISORY. Use ROW or BOTH, or look with lockAndQuery()."
                        : " is no row. Lock it without requireRow()."));
    }

    /**
     * The exception for id columns that have changed since they were looked up.
     *
     * @param undone whether the transaction is as it was before the call
     */
    public static LockTargetException stale(Asked asked, boolean undone) {
        return Exceptions.stale(LockErrors.cannot(asked)
                + "the table, its primary key or the type of its id was replaced since it was looked up. "
                + (undone
                        ? "Nothing is locked; try again."
                        : "The transaction is aborted; roll back and run it again."));
    }

    /**
     * The exception for an id that finds a row of another key: the server takes more spellings than the key has.
     *
     * @param undone whether the transaction is as it was before the call
     */
    public static LockTargetException misnamed(Asked asked, ResolvedRequest.Misnamed misnamed, boolean undone) {
        return Exceptions.target(LockErrors.cannot(asked) + "the id "
                + asked.names().of(misnamed.key().givenId()) + " means the row "
                + asked.names().of(misnamed.id())
                + ", which is another key, so that those who lock it by its own id would"
                + " not be excluded. Give the id as the row has it: "
                + asked.names().of(misnamed.id()) + ". "
                + (undone ? "Nothing is locked." : "The transaction is aborted; roll back."));
    }

    /** The exception for an id that its column cannot hold, or that is not written as its key is. */
    public static LockTargetException misfit(
            KeyNames names, LockKey.Row key, RowTable.Column column, String part, String refusal) {
        return Exceptions.target(
                "Cannot lock " + names.of(key) + ": " + names.of(part) + " for column " + column.name()
                        + " of type "
                        + typeName(column) + ' ' + (names == KeyNames.WITH_IDS ? refusal : UNSAID_REFUSAL)
                        + ". Nothing is locked.",
                SqlState.INVALID_TEXT_REPRESENTATION,
                null);
    }

    /** The exception for an id that no key can be made of, or none without a look at the row. */
    public static LockTargetException keyless(RowTable table, RowTable.Column column) {
        boolean ofBoth = column.kind().hasKeys(LockStrategy.BOTH);
        return Exceptions.target(
                "Cannot lock rows of " + table.name() + " by keys" + (ofBoth ? " alone" : "")
                        + ": the text of its id column " + column.name() + " of type " + typeName(column)
                        + (ofBoth
                                ? " may be one of several for a value, which only the server can tell"
                                : " may depend on settings of the session")
                        + ", so that one row could have two keys. Use "
                        + (ofBoth ? "strategy BOTH, which looks at the row, or strategy" : "strategy")
                        + " ROW, which needs no key, or lock by another unique column"
                        + " (idColumns) or by LockKey.name(). Nothing is locked.",
                SqlState.FEATURE_NOT_SUPPORTED,
                null);
    }

    private static String typeName(RowTable.Column column) {
        return column.type().replace("pg_catalog.", "").replace("\"", "");
    }

    /** The exception for an id that has not as many parts as its table has id columns. */
    public static LockTargetException wrongParts(KeyNames names, LockKey.Row key, RowTable table) {
        return Exceptions.target("Cannot lock " + names.of(key) + ": the id has "
                + key.id().size() + " part(s), and the id of "
                + table.name() + " is "
                + table.columns().stream().map(RowTable.Column::name).toList()
                + ". Give one value per column, in that order.");
    }

    /** What to do about an error of the table, its columns or an id; null where it is about something else. */
    static @Nullable String advice(String state) {
        return state.startsWith(SqlState.DATA_EXCEPTION_CLASS)
                ? "Give an id that the column's type can hold"
                : switch (state) {
                    case SqlState.UNDEFINED_TABLE -> "Check the name, its quotes and the session's search_path";
                    case SqlState.INSUFFICIENT_PRIVILEGE -> PRIVILEGES;
                    case SqlState.UNDEFINED_COLUMN, SqlState.UNDEFINED_FUNCTION ->
                        "If the table was replaced meanwhile, roll back and try again; else check the id columns given"
                                + " in RowLocksBuilder";
                    case SqlState.FEATURE_NOT_SUPPORTED ->
                        "Where tables are spread over machines (Citus), the id has to have the column that they are"
                                + " spread by";
                    case SqlState.WRONG_OBJECT_TYPE, SqlState.INVALID_SCHEMA_NAME, SqlState.INVALID_NAME ->
                        "Name a table that FOR UPDATE can lock rows of";
                    default -> null;
                };
    }
}
