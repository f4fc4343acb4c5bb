package org.rowlock.internal.sql;

import java.sql.ResultSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.BoundQuery;

/**
 * The last parts of a flush, which come from the caller and follow the locks: a query, or writes and possibly the
 * COMMIT.
 *
 * @param inFront parts before the locks, with which the server notices a lost connection before it runs the COMMIT
 * @param isCommitting whether the parts contain the COMMIT. If so, the transaction is over when the results are read
 * @param isOneShot whether the statements must not stay prepared at the server
 * @param open keeps the statement and its results open until they are mapped; null if all results are read at once
 * @param ifNothingRan called if the server has run no statement of the flush
 */
public record Tail(
        List<Part> inFront,
        List<Part> parts,
        boolean isCommitting,
        boolean isOneShot,
        @Nullable OpenRows open,
        Runnable ifNothingRan) {
    /**
     * The largest number of parts of a tail whose text is cached. Longer tails are usually built in loops, so they have
     * many different lengths.
     */
    public static final int LONGEST_KEPT = 11;

    public static Tail ofWrites(List<Part> writes, boolean oneShot) {
        return new Tail(List.of(), writes, false, oneShot, null, () -> {});
    }

    /**
     * Returns the tail for a query. If the driver sends a value without a type, the query must not stay prepared. The
     * driver would otherwise wait for the results of earlier statements before it sends the query.
     */
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

    /** Returns the caller's SQL, for messages of exceptions. */
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
