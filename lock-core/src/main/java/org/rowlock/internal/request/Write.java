package org.rowlock.internal.request;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.internal.text.Arguments;

/** A caller's statement that is sent with the COMMIT, and its results after the commit. */
public final class Write implements CommitWrite {
    /** The value of {@link #expected} if any number of rows is allowed. */
    public static final long ANY = -1;

    public interface Bound {
        void set(PreparedStatement statement, int index) throws SQLException;
    }

    private final String sql;
    private final List<List<@Nullable Object>> executions = new ArrayList<>(1);
    private long expected = ANY;
    private long count;
    private final List<List<@Nullable Object>> rows = new ArrayList<>(0);
    private @Nullable SQLException readFailure;
    private boolean done;

    /** The exception of the commit if the outcome, and therefore the counts, are unknown; otherwise null. */
    private @Nullable CommitOutcomeUnknownException unknownOutcome;

    public Write(String sql) {
        this.sql = Arguments.text(sql, "The SQL of the write", "one statement");
    }

    public Write again(@Nullable Object... binds) {
        List<@Nullable Object> values = Arguments.binds(binds);
        refuseIfSent();
        executions.add(values);
        return this;
    }

    @Override
    public Write expectRows(long number) {
        if (number < 0) {
            throw new IllegalArgumentException(number + " rows cannot be expected; give 0 or more");
        }
        expected = number;
        return this;
    }

    public String sql() {
        return sql;
    }

    public List<List<@Nullable Object>> executions() {
        return executions;
    }

    /** Returns the values of an execution, from 1 on. A {@link Bound} shows its value when it sets it. */
    public List<@Nullable Object> values(int execution) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        PreparedStatement recorder = (PreparedStatement) Proxy.newProxyInstance(
                Write.class.getClassLoader(), new Class<?>[] {PreparedStatement.class}, (any, setter, arguments) -> {
                    values.add(setter.getName().equals("setNull") ? null : arguments[1]);
                    return null;
                });
        for (@Nullable Object bind : executions.get(execution - 1)) {
            if (bind instanceof Bound bound) {
                bound.set(recorder, 1);
            } else {
                values.add(bind);
            }
        }
        return values;
    }

    /** Returns the number of rows that each execution must change, or {@link #ANY}. */
    public long expected() {
        return expected;
    }

    public boolean isExpecting() {
        return expected != ANY;
    }

    /** Throws an exception if the write is committed or may be committed, because it must not be executed again. */
    public void refuseIfSent() {
        if (unknownOutcome != null) {
            throw new IllegalStateException(
                    "These writes were sent already, and could be done twice if they were sent again. Check whether"
                            + " they are stored; if not, make new CommitWrites. "
                            + unknownOutcome.getMessage(),
                    unknownOutcome);
        }
        if (done) {
            throw new IllegalStateException(
                    "These writes are committed already, and would be done twice if they were sent again. Make new"
                            + " CommitWrites");
        }
    }

    @Override
    public long count() {
        refuseUnknown();
        return count;
    }

    @Override
    public List<List<@Nullable Object>> rows() throws SQLException {
        refuseUnknown();
        if (readFailure != null) {
            throw readFailure;
        }
        return Collections.unmodifiableList(rows);
    }

    private void refuseUnknown() {
        if (unknownOutcome != null) {
            throw new IllegalStateException(
                    "The result of the write is not known. " + unknownOutcome.getMessage(), unknownOutcome);
        }
        if (!done) {
            throw new IllegalStateException("The result of the write is not known yet: the write is sent with the"
                    + " COMMIT, and the transaction has not committed. Read the result after the commit: " + sql);
        }
    }

    /** Clears the results of an earlier attempt that was rolled back. */
    public void begin() {
        count = 0;
        rows.clear();
        readFailure = null;
    }

    /** Adds the number of rows that one execution has changed. */
    public void answered(long changed) {
        count += changed;
    }

    public void returned(List<@Nullable Object> values) {
        rows.add(values);
    }

    /** Records that returned rows could not be read. Throws nothing, because the write may already be committed. */
    public void rowsUnreadable(SQLException failure) {
        readFailure = failure;
    }

    public void done() {
        done = true;
    }

    public void outcomeUnknown(CommitOutcomeUnknownException why) {
        if (!done) {
            unknownOutcome = why;
        }
    }
}
