package org.rowlock.internal.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.RowMapper;
import org.rowlock.internal.text.Given;

/** A caller's statement that is sent with the COMMIT, and once it is committed, what it did. */
public final class Write<T> implements CommitWrite<T> {
    /** As many rows as it may be. */
    public static final long ANY = -1;

    private final String sql;
    private final @Nullable RowMapper<T> mapper;
    private final List<List<@Nullable Object>> executions = new ArrayList<>(1);
    private long expected = ANY;
    private @Nullable Mapping mapping;
    private @Nullable WriteResult<T> result;

    /** Why its answer was not read, of a write that is or may be stored; else null. */
    private @Nullable CommitOutcomeUnknownException untold;

    public Write(String sql, @Nullable RowMapper<T> mapper) {
        this.sql = Given.text(sql, "The SQL of the write", "one statement");
        this.mapper = mapper;
    }

    /** Runs mappers in another way. */
    public interface Mapping {
        <T> T map(RowMapper<T> mapper, ResultSet row) throws SQLException;
    }

    /** Has its mapper run so; null for as usual. */
    public void mapBy(@Nullable Mapping other) {
        mapping = other;
    }

    @Override
    public Write<T> and(@Nullable Object... binds) {
        Given.notNull(binds, "The binds are null; give a value per parameter, or none");
        refuseIfSent();
        // Not List.of(), as a bind may be null.
        executions.add(Arrays.asList(binds.clone()));
        return this;
    }

    @Override
    public Write<T> expectRows(long rows) {
        if (rows < 0) {
            throw new IllegalArgumentException(rows + " rows cannot be expected; give 0 or more");
        }
        expected = rows;
        return this;
    }

    public String sql() {
        return sql;
    }

    @Nullable
    public RowMapper<T> mapper() {
        RowMapper<T> own = mapper;
        Mapping by = mapping;
        return own == null || by == null ? own : row -> by.map(own, row);
    }

    public List<List<@Nullable Object>> executions() {
        return executions;
    }

    /** How many rows each execution must change, or {@link #ANY}. */
    public long expected() {
        return expected;
    }

    public boolean isExpecting() {
        return expected != ANY;
    }

    /** Refuses to have more done where it is done, or may be. */
    public void refuseIfSent() {
        if (untold != null) {
            throw new IllegalStateException(
                    "These writes were sent already, and sent again they could be done twice. Look whether they are"
                            + " stored; if not, make new CommitWrites. "
                            + untold.getMessage(),
                    untold);
        }
        if (result != null) {
            throw new IllegalStateException(
                    "These writes are committed already; sent again they would be done twice. Make new CommitWrites");
        }
    }

    @Override
    public List<Long> counts() {
        return List.copyOf(result().counts());
    }

    @Override
    public List<T> rows() throws SQLException {
        // Not List.copyOf(), as a mapper may give null.
        return Collections.unmodifiableList(result().rows());
    }

    private WriteResult<T> result() {
        if (untold != null) {
            throw new IllegalStateException("What it did is not known. " + untold.getMessage(), untold);
        }
        if (result == null) {
            throw new IllegalStateException(
                    "What it did is not known: it is sent with the COMMIT, and the transaction has"
                            + " not committed. Ask afterwards: " + sql);
        }
        return result;
    }

    void done(WriteResult<T> did) {
        result = did;
    }

    /** It may be stored, and what it did is not known: it is not to be sent again. */
    public void untold(CommitOutcomeUnknownException why) {
        if (result == null) {
            untold = why;
        }
    }
}
