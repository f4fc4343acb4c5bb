package org.rowlock.jdbc.internal.wrap;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.ForwardingSession;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.Tokens;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.internal.forward.ForwardingConnection;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.queue.Turns;
import org.rowlock.jdbc.internal.row.StatementPlan;

/** A connection whose statements may have to wait in the JVM before they go to the server. */
public final class RowlockConnection extends ForwardingConnection implements CommitFlush, ForwardingSession {
    private final DropIn dropIn;
    final Turns turns;

    /** The URL of {@link org.rowlock.jdbc.RowlockDriver}; null if the connection comes from a DataSource. */
    final @Nullable String url;

    private RowlockConnection(Connection delegate, DropIn dropIn, @Nullable String url, @Nullable Object origin)
            throws SQLException {
        super(delegate);
        this.url = url;
        this.dropIn = dropIn;
        this.turns = new Turns(dropIn, delegate, origin);
    }

    /**
     * Wraps a connection. Returns the connection unwrapped if it does not come from PostgreSQL's driver, or is already
     * wrapped.
     *
     * @param url the URL of {@link org.rowlock.jdbc.RowlockDriver}, or null
     * @param origin everything that determines the driver's connection besides its URL; null if this is not known
     */
    public static Connection wrap(Connection delegate, DropIn dropIn, @Nullable String url, @Nullable Object origin)
            throws SQLException {
        try {
            boolean other = delegate == null
                    || delegate.isWrapperFor(RowlockConnection.class)
                    || !PgSession.leadsToDriver(delegate);
            return other ? delegate : new RowlockConnection(delegate, dropIn, url, origin);
        } catch (Throwable e) {
            // The caller gets no connection that it could close. A pool may lend a connection that is lost.
            try (delegate) {
                throw e;
            }
        }
    }

    /** Returns the plan of a statement; null in mode {@code off}. */
    @Nullable
    StatementPlan plan(@Nullable String sql) {
        return dropIn.mode() == DropInMode.OFF || sql == null ? null : dropIn.plan(sql);
    }

    @Override
    public boolean keepUntilCommit(
            Predicate<String> checked, @Nullable Function<CommitFlushException, RuntimeException> thrown)
            throws SQLException {
        return turns.keepUntilCommit(checked, thrown);
    }

    @Override
    public Connection target() {
        return delegate;
    }

    @Override
    protected void used() throws SQLException {
        turns.run(turns::used);
    }

    @Override
    protected void unwrapped() throws SQLException {
        used();
        turns.exposeDriver();
    }

    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        super.setTransactionIsolation(level);
        turns.identity().isolation(level);
    }

    @Override
    public void setSchema(String schema) throws SQLException {
        turns.identity().alter();
        super.setSchema(schema);
    }

    @Override
    protected Statement made(Statement made) {
        return new RowlockStatement(this, made);
    }

    @Override
    protected String sent(String sql) {
        boolean isKnown = sql != null && sql.length() <= Tokens.LONGEST;
        return isKnown && dropIn.mode() == DropInMode.QUEUE ? dropIn.plan(sql).sent() : sql;
    }

    @Override
    protected PreparedStatement made(PreparedStatement made, String sql, boolean plain) {
        return new RowlockPreparedStatement(this, made, sql, plain);
    }

    @Override
    protected CallableStatement made(CallableStatement made, String sql) {
        // A procedure call has no front lock, because Rowlock does not know which rows the procedure locks.
        return new ForwardingCallableStatement(this, made, sql);
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        return new RowlockDatabaseMetaData(this, delegate.getMetaData());
    }

    @Override
    public void commit() throws SQLException {
        turns.end(turns::commit);
    }

    @Override
    public void rollback() throws SQLException {
        turns.end(turns::rollback);
    }

    @Override
    public void setAutoCommit(boolean autoCommit) throws SQLException {
        turns.end(() -> {
            // When autocommit is turned on, the driver commits, and the kept writes must be sent with that COMMIT.
            if (autoCommit && turns.commitsHere()) {
                turns.commit();
            }
            delegate.setAutoCommit(autoCommit);
            turns.endedIfIdle();
        });
    }

    @Override
    public void close() throws SQLException {
        turns.close();
        delegate.close();
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        turns.abort();
        delegate.abort(executor);
    }
}
