package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.row.LockedRow;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/**
 * Decides when each statement of one connection may go to the server. Only the first locking statement of a transaction
 * may wait in the JVM. A thread that waits in the JVM therefore holds no row lock for which another transaction waits
 * at the server.
 *
 * <p>As with any connection, only one thread at a time may use this object. Other threads may call {@link #cancel},
 * {@link #close} and {@link #abort}, because these methods do not use the driver's connection.
 */
public final class Turns extends TransactionEnd {
    public Turns(DropIn dropIn, Connection connection, @Nullable Object origin) throws SQLException {
        super(dropIn, connection, origin);
    }

    /**
     * Waits, if necessary, until the statement may go to the server.
     *
     * @param plan null if statements are not examined
     * @param binds the values of the parameters; null for a batch of several executions. Such a batch does not wait,
     *     because Rowlock does not examine which rows a batch locks
     * @param statement the driver's or the pool's statement
     * @param isWhole whether the call is one execution of one statement, so that a group may send it instead
     * @return the turn, which the caller gives to {@link #leave} when the server has answered; null for a statement
     *     that goes to the server without being admitted by a queue
     * @throws SQLException if the wait was cancelled, with the error that the server raises for a cancelled statement;
     *     also if a kept write fails
     */
    public @Nullable Turn enter(
            @Nullable StatementPlan plan, @Nullable Binds binds, Statement statement, boolean isWhole)
            throws SQLException {
        awaitUnsent();
        access.begin();
        try {
            boolean before = unchanged && kept.isEmpty();
            sendKept();
            unchanged = false;
            sees(plan);
            if (binds == null) {
                mayHoldLocks = true;
                if (plan != null) {
                    plan.figures().count(Figure.BATCH);
                }
                return null;
            }
            Turn turn = turn(plan, binds, statement, isWhole);
            unchanged = (before || access.isIdle())
                    && plan != null
                    && plan.onlyLocks()
                    && dropIn.settings.keepsWrites()
                    && rows.areCounted(plan, dropIn.settings);
            return turn;
        } catch (SQLException | RuntimeException | Error e) {
            access.end();
            throw e;
        }
    }

    private void sees(@Nullable StatementPlan plan) {
        if (!identity.isAlone()) {
            identity.runs(plan == null ? SessionEffect.ALTERS : plan.sessionEffect());
        }
    }

    /** Records what a statement may change in its session. Called before the statement is added to a batch. */
    public void addsToBatch(@Nullable StatementPlan plan) {
        sees(plan);
        if (plan != null) {
            queue.sees(plan);
        }
    }

    private @Nullable Turn turn(@Nullable StatementPlan plan, Binds binds, Statement statement, boolean isWhole)
            throws SQLException {
        if (dropIn.mode() == DropInMode.OFF || plan == null || access.isClosed()) {
            mayHoldLocks = true;
            return null;
        }
        if (!mayHoldLocks || access.driver().isClosed()) {
            access.refresh();
        }
        if (mayHoldLocks && kept.isEmpty() && access.isIdle()) {
            ended();
        }
        queue.sees(plan);
        if (!plan.shape().isRecognised()) {
            boolean locks = plan.shape().mayLock();
            mayHoldLocks |= locks;
            plan.figures().count(locks ? Figure.OTHER_FORM : Figure.NOT_LOCKING);
            return null;
        }
        plan.figures().count(Figure.RECOGNISED);
        if (mayHoldLocks || KeyQueues.entered() != null) {
            // A thread that has queued through @RowLock or the API may hold locks, too.
            plan.figures().count(mayHoldLocks ? Figure.NOT_FIRST : Figure.ADMITTED);
            mayHoldLocks = true;
            return null;
        }
        mayHoldLocks = true;
        LockedRow row = rows.find(plan, binds, dropIn.settings);
        return row == null ? null : queue.enter(row, statement, isWhole);
    }

    /**
     * Keeps an execution of a statement. If the statement is the first locking statement of the transaction, waits in
     * the row's queue now.
     */
    public void keep(StatementPlan plan, Binds binds, Statement statement) throws SQLException {
        run(() -> {
            boolean begins = !mayHoldLocks && access.isIdle();
            boolean isFirst = kept.isEmpty() && (unchanged || begins);
            unchanged = isFirst && plan.callsNothing() && binds.has(plan.shape().values());
            sees(plan);
            Turn turn = turn(plan, binds, statement, false);
            if (turn != null) {
                keptTurn = turn;
            }
            plan.figures().count(Figure.KEPT);
            if (kept.add(plan.sent(), binds)) {
                sendKept();
            }
        });
    }

    /** Gives back a turn after the server has answered, or if the statement was not sent. */
    public void leave(@Nullable Turn turn, boolean done) {
        answered(turn, done, turn != null && done && access.session().isOpen());
        if (kept.isOpen() && kept.isEmpty() && access.isIdle()) {
            // The statement itself has ended the transaction.
            kept.close();
        }
        try {
            rows.lookUpIfIdle();
        } finally {
            access.end();
        }
    }

    /** Releases the turn and ends a wait in the JVM. Called when the connection returns to its pool or is closed. */
    public void close() {
        abort();
        access.awaitQueries();
        forget();
    }

    /**
     * Ends the wait of the thread that waits in the JVM. The statement of that thread then fails because the connection
     * is closed.
     */
    public void abort() {
        access.close();
        queue.wake();
    }

    public boolean cancel(Statement statement) throws SQLException {
        return queue.cancel(statement);
    }
}
