package org.rowlock.internal.sql;

import java.sql.ResultSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.request.OpenRows;

/**
 * The caller's parts of a flush, behind the locks: a query, or writes and possibly the COMMIT.
 *
 * @param inFront the parts in front of the locks, which watch for a connection that is lost before the COMMIT
 * @param isCommitting whether the transaction is over when the results are read
 * @param isOneShot whether the server should not keep what it prepares
 * @param open keeps the statement and its results open until they are mapped; null if all are read at once
 * @param unsent called if the server has run nothing of the flush
 */
public record Tail(
        List<Part> inFront,
        List<Part> parts,
        boolean isCommitting,
        boolean isOneShot,
        @Nullable OpenRows open,
        Runnable unsent) {
    /** The longest tail whose text is kept. Longer ones come from loops, and each has another length. */
    public static final int LONGEST_KEPT = 11;

    public static Tail ofWrites(List<Part> writes, boolean oneShot) {
        return new Tail(List.of(), writes, false, oneShot, null, () -> {});
    }

    /** Returns a query. For a value without a type the driver waits in front of the query, unless it is one shot. */
    public static Tail ofQuery(BoundQuery<?> query, OpenRows open) {
        List<@Nullable Object> binds = query.binds();
        Part part = new Part(
                query.sql(),
                (statement, at, request) -> Part.bind(statement, at, binds),
                (answers, statement) -> {
                    ResultSet rows = statement.getResultSet();
                    if (rows == null) {
                        throw new IllegalArgumentException(
                                "The SQL of the query returned no rows to read but an update count of "
                                        + statement.getUpdateCount() + ". It has run: roll the transaction back, and"
                                        + " give a SELECT, or add RETURNING");
                    }
                    open.keep(rows);
                },
                binds);
        return new Tail(List.of(), List.of(part), false, Part.hasUntyped(binds), open, () -> {});
    }

    /** Returns the text, for messages. */
    public String sql() {
        return Flush.textOf(parts);
    }

    /** Returns the caller's values. */
    public List<@Nullable Object> binds() {
        return parts.stream()
                .<@Nullable Object>flatMap(part -> part.binds().stream())
                .toList();
    }
}
