package org.rowlock.internal.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;

/** What a write did, read as its answers come. */
public final class WriteResult<T> {
    private final Write<T> write;
    private final List<Long> counts = new ArrayList<>(1);
    private final List<@Nullable ResultSet> returned = new ArrayList<>(0);
    private final List<T> rows = new ArrayList<>(0);
    private @Nullable SQLException failure;

    public WriteResult(Write<T> write) {
        this.write = write;
    }

    public Write<T> write() {
        return write;
    }

    /** The next execution has been answered, perhaps with rows to map, which are the first. */
    public void answered(long changed, @Nullable ResultSet own) {
        counts.add(changed);
        if (write.mapper() != null) {
            returned.add(own);
        }
    }

    public void handOut() {
        write.done(this);
    }

    /**
     * Maps what was returned. What keeps a row from being read comes too late to undo anything, and must not look as if
     * it had.
     */
    public void map() {
        RowMapper<T> mapper = write.mapper();
        if (mapper == null) {
            return;
        }
        for (int i = 0; i < returned.size(); i++) {
            ResultSet own = returned.get(i);
            try {
                for (int row = 1; own != null && row <= counts.get(i); row++) {
                    own.absolute(row);
                    rows.add(mapper.map(own));
                }
            } catch (Throwable e) {
                if (failure == null) {
                    failure = e instanceof SQLException sql
                            ? sql
                            : new SQLException("The row mapper of a write failed. The write is done all the same", e);
                }
            }
        }
    }

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
