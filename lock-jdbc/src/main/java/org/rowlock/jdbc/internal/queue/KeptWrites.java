package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.RowlockException;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.PrimaryKeys;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.SqlState;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.jdbc.internal.statement.Binds;

/**
 * The writes of one connection that Rowlock keeps in memory and sends with the COMMIT. Each write must change exactly
 * one row. Not thread-safe, like the connection.
 */
final class KeptWrites {
    /** Rowlock keeps at most this many executions, so that they do not fill the memory. */
    private static final int MOST = 1_000;

    private static final String STORED = "The transaction is stored, and must not be repeated: a write by primary key"
            + " changed several rows, because its table was replaced or has lost the key. Rows: ";

    /** The tables for which the caller checks the counts of changed rows; null while Rowlock keeps no writes. */
    private @Nullable Predicate<String> checked;

    /** Returns the framework's exception for the failure of a kept write; null if the framework has none. */
    private @Nullable Function<CommitFlushException, RuntimeException> thrown;

    private List<Write> writes = new ArrayList<>();
    private int size;

    public void open(Predicate<String> tables, @Nullable Function<CommitFlushException, RuntimeException> exceptions) {
        this.checked = tables;
        this.thrown = exceptions;
    }

    /**
     * Drops the cached primary keys if a write changed a wrong number of rows, or the server could not count the rows:
     * the table may have a new key, trigger or rule. Then throws the framework's exception, if there is one.
     */
    public void failed(Throwable e, PrimaryKeys primaryKeys) {
        if (e instanceof CommitFlushException failed) {
            if (failed.isWrongCount()
                    || SqlState.TOO_MANY_ROWS.equals(failed.getSQLState())
                    || SqlState.FEATURE_NOT_SUPPORTED.equals(failed.getSQLState())) {
                primaryKeys.forget();
            }
            if (thrown != null) {
                throw thrown.apply(failed);
            }
        }
    }

    public boolean isOpen() {
        return checked != null;
    }

    public boolean checks(String table) {
        return checked != null && checked.test(table);
    }

    /** Keeps a write with its current values. Returns whether Rowlock must send the kept writes now. */
    public boolean add(String sql, Binds binds) {
        Write last = writes.isEmpty() ? null : writes.get(writes.size() - 1);
        if (last == null || !last.sql().equals(sql)) {
            last = new Write(sql);
            writes.add(last);
        }
        last.again(binds.bound());
        return ++size >= MOST;
    }

    public boolean isEmpty() {
        return writes.isEmpty();
    }

    public void close() {
        checked = null;
        thrown = null;
        take(false);
    }

    private List<Write> take(boolean checks) {
        List<Write> taken = writes;
        writes = taken.isEmpty() ? taken : new ArrayList<>();
        size = 0;
        if (checks) {
            taken.forEach(Write::expectOneRow);
        }
        return taken;
    }

    /** Sends the kept writes, and leaves the transaction open. */
    public void send(Connection connection) throws SQLException {
        List<Write> taken = take(true);
        try {
            Commit.sendWrites(connection, taken);
        } catch (SQLException | RuntimeException e) {
            throw failure(taken, e, false);
        }
    }

    /**
     * Sends the kept writes and the COMMIT. After this call the transaction has ended, even if the call failed.
     *
     * @param isOnlyChange whether the transaction has one kept write and nothing else that can change anything. The
     *     write's count is then read after the COMMIT, which costs the server less than a check before the COMMIT
     * @param keepsWatch see {@link org.rowlock.internal.session.LostCommits#watch}
     */
    public void commit(Connection connection, boolean isOnlyChange, boolean keepsWatch) throws SQLException {
        List<Write> taken = take(!isOnlyChange);
        checked = null;
        try {
            Commit.run(connection, null, List.of(), Ending.Choice.PLAIN, taken, keepsWatch);
        } catch (CommitNotConfirmedException e) {
            // If the wait for a standby is cancelled, the driver's own commit() also returns normally, with a warning.
            if (e.getCause() instanceof SQLWarning warning && !connection.isClosed()) {
                connection.unwrap(PgConnection.class).addWarning(warning);
            }
        } catch (CommitOutcomeUnknownException e) {
            throw e.getCause() instanceof SQLException cause ? cause : new SQLException(e.getMessage(), e);
        } catch (SQLException | RuntimeException e) {
            boolean ended = !connection.isClosed() && !PgSession.of(connection).hasBegun();
            SQLException failure = failure(taken, e, ended);
            PgSession.rollBack(connection, failure);
            throw failure;
        } catch (Error e) {
            PgSession.rollBack(connection, e);
            throw e;
        }
        long count = isOnlyChange ? taken.get(0).count() : 1;
        if (count == 0) {
            taken.get(0).expectOneRow();
            throw failure(taken, WriteForms.unexpected(taken, 1, 1, count, true, null), false);
        } else if (count > 1) {
            throw new CommitFlushException(STORED + count, SqlState.TOO_MANY_ROWS, null, null);
        }
    }

    /**
     * Returns the exception for a failure of the kept writes. If the connection is lost, or the COMMIT itself has
     * failed, returns the driver's exception unchanged.
     *
     * @param ended whether the server has ended the transaction, so that the COMMIT itself must have failed
     */
    private static SQLException failure(List<Write> writes, Exception e, boolean ended) throws SQLException {
        if (e instanceof SQLException own) {
            return SqlState.isConnectionLost(own.getSQLState()) || (ended && ServerErrors.isServers(own))
                    ? own
                    : new CommitFlushException(own.getMessage(), own.getSQLState(), null, own);
        }
        var values = e instanceof UnexpectedRowCountException wrong ? WriteForms.valuesOf(writes, wrong) : null;
        String state = e instanceof RowlockException own ? own.sqlState().orElse(null) : null;
        return values == null && e.getCause() instanceof SQLException cause && cause.getSQLState() != null
                ? failure(writes, cause, ended)
                : new CommitFlushException(e.getMessage(), state, values, e);
    }
}
