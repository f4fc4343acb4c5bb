package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.SessionIdentity;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.row.LockedRow;
import org.rowlock.jdbc.internal.row.RowFinder;
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
public final class Turns {
    private final DropIn dropIn;
    private final DriverAccess access;
    private final RowFinder rows;
    private final SessionIdentity identity;
    private final RowQueue queue;
    private final KeptWrites kept = new KeptWrites();

    /** The turn of the first kept write, until Rowlock sends that write; null if the write did not queue. */
    private @Nullable Turn keptTurn;

    private boolean mayHoldLocks;

    /**
     * Whether the transaction has sent nothing that can have changed anything. If so, a single kept write needs no
     * check of its count at the server: if it changes no row, the COMMIT stores nothing.
     */
    private boolean unchanged;

    /** Whether the application has obtained objects of the driver, through which it may change anything. */
    private boolean exposed;

    /** The turn of the statement that acquired the transaction's row lock; null if that statement did not queue. */
    private @Nullable Turn granted;

    public Turns(DropIn dropIn, Connection connection, @Nullable Object origin) throws SQLException {
        this.dropIn = dropIn;
        this.access = new DriverAccess(connection);
        this.rows = new RowFinder(access, dropIn.primaryKeys);
        this.mayHoldLocks = !access.isIdle();
        // A connection joins groups only if nothing lies between Rowlock and the driver. A layer in between could alter
        // the session without Rowlock's knowledge.
        Object made = origin == null || dropIn.groups == null || !access.isDirect()
                ? null
                : List.of(access.session().url(), origin);
        this.identity = new SessionIdentity(access, made);
        this.queue = new RowQueue(dropIn, access, identity);
    }

    public SessionIdentity identity() {
        return identity;
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
        access.begin();
        try {
            boolean before = unchanged && kept.isEmpty();
            sendKept();
            unchanged = false;
            if (binds == null) {
                // Even if a batch begins with DISCARD ALL, its later statements may alter the session.
                boolean cleans = !identity.isAlone() && plan != null && plan.sessionEffect() == SessionEffect.CLEANS;
                sees(cleans ? null : plan);
                mayHoldLocks = true;
                if (plan != null) {
                    plan.figures().count(Figure.BATCH);
                }
                return null;
            }
            sees(plan);
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

    /** Records what a statement may change in its session. Called before the statement is sent. */
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
        if (mayHoldLocks || KeyEntries.entered() != null) {
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
     * From now on, keeps writes until the transaction ends. Returns false if the settings or the state of the
     * connection forbid this, or if the driver cannot send the writes with the COMMIT.
     */
    public boolean keepUntilCommit(
            Predicate<String> checked, @Nullable Function<CommitFlushException, RuntimeException> thrown)
            throws SQLException {
        if (access.driver().isClosed()) {
            access.refresh();
        }
        boolean keeps = dropIn.settings.keepsWrites()
                && dropIn.mode() == DropInMode.QUEUE
                && access.session().carriesFronts()
                // If a backslash begins an escape in strings, Rowlock and the driver may parse the text differently.
                && !"off".equals(access.session().reported("standard_conforming_strings"))
                && !access.session().isOfXa()
                && !access.driver().getAutoCommit()
                && !access.session().isAborted();
        if (keeps) {
            run(this::endedIfIdle);
            kept.open(checked, thrown);
        }
        return keeps;
    }

    public boolean keeps() {
        return kept.isOpen();
    }

    /** Whether the text and the table of a prepared statement allow Rowlock to keep its executions. */
    public boolean keeps(StatementPlan plan) {
        String table = plan.written();
        return kept.isOpen()
                && table != null
                && (!plan.shape().isRecognised() || kept.checks(table))
                && !access.isClosed()
                && !access.session().isAborted()
                && rows.areCounted(plan, dropIn.settings);
    }

    /**
     * Keeps an execution of a statement. If the statement is the first locking statement of the transaction, waits in
     * the row's queue now.
     *
     * @param statement the driver's or the pool's statement
     */
    public void keep(StatementPlan plan, Binds binds, Statement statement) throws SQLException {
        run(() -> {
            boolean begins = !mayHoldLocks && access.isIdle();
            unchanged = kept.isEmpty() && (unchanged || begins) && plan.callsNothing();
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

    /**
     * Records that the application uses the driver's own objects from now on. Rowlock does not see the statements that
     * these objects send, so no further writes of this transaction are kept. Call {@link #used} first.
     */
    public void exposeDriver() {
        exposed = true;
        LostCommits.forget(access.driver());
        kept.close();
        identity.exposeDriver();
    }

    /** Called before any use of the connection that is not a statement, a kept write or the end of the transaction. */
    public void used() throws SQLException {
        sendKept();
        unchanged = false;
    }

    /** Sends the kept writes. Called before any other use of the connection. */
    private void sendKept() throws SQLException {
        if (!kept.isEmpty()) {
            boolean done = false;
            try {
                kept.send(access.connection());
                done = true;
            } catch (SQLException | Error e) {
                // If a write failed before it reached the server, the server has not aborted the transaction. Rowlock
                // aborts the transaction, because the other writes must not be committed without the failed write.
                access.abort(e);
                kept.failed(e, dropIn.primaryKeys);
                throw e;
            } finally {
                keptSent(done, done);
            }
        }
    }

    private void keptSent(boolean done, boolean holds) {
        Turn turn = keptTurn;
        keptTurn = null;
        answered(turn, done, holds);
    }

    private void answered(@Nullable Turn turn, boolean done, boolean holds) {
        if (turn != null) {
            turn.entry().endServerWait(done, holds);
            granted = holds ? turn : granted;
        }
    }

    /** Records that the driver may lock or change rows or large objects by statements that Rowlock does not see. */
    public void mayLock() {
        mayHoldLocks = true;
        exposed = true;
    }

    /** Gives back a turn after the server has answered, or if the statement was not sent. */
    public void leave(@Nullable Turn turn, boolean done) {
        answered(turn, done, turn != null && done && access.session().isOpen());
        identity.ran(done);
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

    /** A use of the driver's connection that may end the transaction. */
    public interface Call {
        void run() throws SQLException;
    }

    /** Runs a call. Meanwhile Rowlock sends no queries of its own on the connection. */
    public void run(Call call) throws SQLException {
        access.begin();
        try {
            call.run();
        } finally {
            access.end();
        }
    }

    /** Whether Rowlock itself sends the COMMIT, together with kept writes. */
    public boolean commitsHere() throws SQLException {
        return !kept.isEmpty() && !access.isClosed() && !access.driver().getAutoCommit();
    }

    public void commit() throws SQLException {
        boolean done = false;
        try {
            if (kept.isEmpty()) {
                access.connection().commit();
            } else {
                kept.commit(access.connection(), unchanged && !exposed, !exposed);
            }
            done = true;
        } catch (CommitFlushException e) {
            kept.failed(e, dropIn.primaryKeys);
            throw e;
        } finally {
            keptSent(done, false);
            if (!done) {
                // Usually the transaction has ended, even if its commit has failed.
                endedIfIdle();
            }
        }
        ended();
    }

    public void rollback() throws SQLException {
        // Even if the rollback fails, as in a failover, Rowlock must not send the kept writes later.
        kept.close();
        keptSent(false, false);
        access.connection().rollback();
        ended();
    }

    /**
     * Called after the transaction has ended. Discards the kept writes, and releases the turn. Does not release the
     * turn while another thread runs a statement, because that statement may belong to the next transaction.
     */
    public void ended() {
        kept.close();
        if (access.alone(this::forget)) {
            rows.lookUpIfIdle();
        }
    }

    private void forget() {
        kept.close();
        keptSent(false, false);
        Turn last = granted;
        if (last != null) {
            last.entry().released(true);
            granted = null;
        }
        mayHoldLocks = false;
        queue.ended();
    }

    public void endedIfIdle() throws SQLException {
        // Until Rowlock sends the kept writes, the driver may report no open transaction.
        if (kept.isEmpty() && !access.isClosed() && !access.driver().isClosed() && access.isIdle()) {
            ended();
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

    /** Cancels the wait of a statement. Returns false if the statement does not wait in the JVM. */
    public boolean cancel(Statement statement) throws SQLException {
        return queue.cancel(statement);
    }
}
