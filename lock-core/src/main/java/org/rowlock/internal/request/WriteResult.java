package org.rowlock.internal.request;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;

/** What a write did, read as its answers come. */
public final class WriteResult<T> {
    private final List<Long> counts = new ArrayList<>(1);
    private final List<T> rows = new ArrayList<>(0);
    private @Nullable SQLException failure;
    private @Nullable CommitOutcomeUnknownException untold;

    /** Of a write that is or may be stored, whose answer was not read. */
    public static <T> WriteResult<T> untold(CommitOutcomeUnknownException why) {
        WriteResult<T> result = new WriteResult<>();
        result.untold = why;
        return result;
    }

    /** How many rows the next execution has changed. */
    public void count(long changed) {
        counts.add(changed);
    }

    public void row(T row) {
        rows.add(row);
    }

    /** What kept a row from being read. It comes too late to undo anything, and must not look as if it had. */
    public void failed(Throwable e) {
        if (failure == null) {
            failure = e instanceof SQLException sql
                    ? sql
                    : new SQLException("The row mapper of a write failed. The write is done all the same", e);
        }
    }

    /** Why what it did is not known, or null. */
    public @Nullable CommitOutcomeUnknownException untold() {
        return untold;
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
