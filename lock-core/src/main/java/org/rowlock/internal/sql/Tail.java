package org.rowlock.internal.sql;

import java.sql.ResultSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.BoundQuery;

/**
 * The caller's statements in a flush with locks: a query, or writes and possibly the COMMIT.
 *
 * @param inFront statements sent before the locks, so that the server notices a lost connection before the COMMIT
 * @param isCommitting whether the parts contain the COMMIT. The results are then read after the transaction has ended
 * @param isOneShot whether the statements must not stay prepared at the server
 * @param open keeps the query and its result open until the mapper runs; null if there is no query
 * @param ifNothingRan called if the server has run none of these parts
 */
public record Tail(
        List<Part> inFront,
        List<Part> parts,
        boolean isCommitting,
        boolean isOneShot,
        @Nullable OpenRows open,
        Runnable ifNothingRan) {
    /**
     * The SQL of a tail with more parts is not cached. Long lists of writes are usually built in loops, and would fill
     * the cache with many different lengths.
     */
    public static final int LONGEST_KEPT = 11;

    public static Tail ofWrites(List<Part> writes, boolean oneShot) {
        return new Tail(List.of(), writes, false, oneShot, null, () -> {});
    }

    /**
     * Returns the tail for a query. If a value has no type, the query must not stay prepared at the server. Otherwise
     * the driver would wait for the results of the locks before it sends the query.
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

    public String sql() {
        return Flush.textOf(parts);
    }

    public List<@Nullable Object> binds() {
        return parts.stream()
                .<@Nullable Object>flatMap(part -> part.binds().stream())
                .toList();
    }
}
