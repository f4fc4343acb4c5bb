package org.rowlock.internal.request;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a write did, read as its answers come. */
public final class WriteResult<T> {
    private final List<Long> counts = new ArrayList<>(1);
    private final List<T> rows = new ArrayList<>(0);
    private @Nullable SQLException failure;

    /** How many rows the next execution has changed. */
    public void count(long changed) {
        counts.add(changed);
    }

    public void row(T row) {
        rows.add(row);
    }

    /** What kept a row from being read. It comes too late to undo anything, and must not look as if it had. */
    public void failed(SQLException e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** Per execution. */
    public List<Long> counts() {
        return counts;
    }

    public List<T> rows() throws SQLException {
        if (failure != null) {
            throw failure;
        }
        return rows;
    }
}
