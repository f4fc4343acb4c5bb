package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.SessionIdentity;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.internal.row.RowFinder;
import org.rowlock.jdbc.internal.row.StatementPlan;

/** The end of each transaction of one connection, and the last writes, which Rowlock may send with the COMMIT. */
abstract class TransactionEnd {
    final DropIn dropIn;
    final DriverAccess access;
    final RowFinder rows;
    final SessionIdentity identity;
    final RowQueue queue;
    final KeptWrites kept = new KeptWrites();

    /** The turn of the first kept write, until Rowlock sends that write; null if the write did not queue. */
    protected @Nullable Turn keptTurn;

    boolean mayHoldLocks;

    /**
     * Whether the transaction has sent nothing that can have changed anything. If so, a single kept write needs no
     * check of its count at the server: if it changes no row, the COMMIT stores nothing.
     */
    boolean unchanged;

    /** Whether the application has obtained objects of the driver, through which it may change anything. */
    private boolean exposed;

    /** The turn of the statement that acquired the transaction's row lock; null if that statement did not queue. */
    private @Nullable Turn granted;

    TransactionEnd(DropIn dropIn, Connection connection, @Nullable Object origin) throws SQLException {
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
     * Records that the application uses the driver's own objects from now on. Rowlock does not see the statements that
     * these objects send, so no further writes of this transaction are kept. Call {@link #used} first.
     */
    public void exposeDriver() {
        exposed = true;
        LostCommits.forget(access.driver());
        kept.close();
        identity.alter();
    }

    /** Called before any use of the connection that is not a statement, a kept write or the end of the transaction. */
    public void used() throws SQLException {
        sendKept();
        unchanged = false;
    }

    final void sendKept() throws SQLException {
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

    final void answered(@Nullable Turn turn, boolean done, boolean holds) {
        if (turn != null) {
            queue.fronts = false;
            turn.entry().endServerWait(done, holds);
            granted = holds ? turn : granted;
        }
    }

    /** Records that the driver may lock or change rows or large objects by statements that Rowlock does not see. */
    public void mayLock() {
        mayHoldLocks = true;
        exposed = true;
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

    public void end(Call call) throws SQLException {
        awaitUnsent();
        run(call);
    }

    /** Waits for a statement of another thread that may be sent later, as the driver waits for a sent statement. */
    final void awaitUnsent() {
        if (queue.wait != null || queue.fronts) {
            access.awaitOthers();
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

    final void forget() {
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
}
