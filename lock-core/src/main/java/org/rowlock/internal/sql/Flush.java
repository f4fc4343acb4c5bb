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
 * @param isBounded whether it fails where a lock cannot be had in time, which must leave the transaction usable
 * @param savepoint what a failure can be rolled back to
 */
public record Flush(String sql, List<Part> parts, boolean isBounded, Savepoint savepoint) {
    /** What a failure can be rolled back to, with the transaction staying usable. */
    public enum Savepoint {
        /** Nothing; where the transaction had not begun, all of it can be. */
        NONE,
        /** To before the flush. */
        AROUND,
        /** To before the flush, as long as it is the guard of the advisory lock that refuses. */
        AROUND_GUARD
    }

    static Flush of(List<Part> parts, boolean bounded, Savepoint savepoint) {
        // The line break ends a comment that a caller's query may end with.
        String sql = parts.stream().map(Part::sql).collect(Collectors.joining("\n;"));
        return new Flush(sql, List.copyOf(parts), bounded, savepoint);
    }

    /** The texts of the parts that are not the caller's own. */
    public List<String> ownSql() {
        return parts.stream()
                .filter(part -> part.result() != Result.TAIL)
                .map(Part::sql)
                .toList();
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
