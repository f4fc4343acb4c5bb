package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.sql.Part.Result;

/**
 * The parts of one round trip: what sets up the wait, locks, looks, and last the caller's query, or writes and the
 * COMMIT. They are sent as one composite, so each has a snapshot of its own and an error in one keeps those behind it
 * from running. Immutable and without values, so that it can be kept.
 *
 * @param isBounded whether it fails where a lock cannot be had in time, which must leave the transaction usable: one
 *     that has begun has a savepoint in front of it all
 * @param isGuardSaved whether there is one in front of the advisory lock alone, for the guard that refuses
 */
public record Flush(String sql, List<Part> parts, boolean isBounded, boolean isGuardSaved) {
    static Flush of(List<Part> parts, boolean bounded, boolean guardSaved) {
        // The line break ends a comment that a caller's query may end with.
        String sql = parts.stream().map(Part::sql).collect(Collectors.joining("\n;"));
        return new Flush(sql, List.copyOf(parts), bounded, guardSaved);
    }

    public void bind(PreparedStatement statement, ResolvedRequest request, @Nullable Tail tail) throws SQLException {
        int at = 1;
        for (Part part : parts) {
            at = tail != null && part.result() == Result.TAIL
                    ? tail.bind(statement, at)
                    : part.binder().bind(statement, at, request);
        }
    }
}
