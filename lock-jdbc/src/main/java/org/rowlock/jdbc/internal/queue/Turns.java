package org.rowlock.jdbc.internal.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.SessionIdentity;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.jdbc.CommitFlushException;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.internal.flush.KeptWrites;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.row.LockedRow;
import org.rowlock.jdbc.internal.row.RowFinder;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.PassReason;
import org.rowlock.jdbc.internal.statement.StatementShape.PassedThrough;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/**
 * Gives the statements of one connection their turns. It knows whether the transaction may hold locks already, and lets
 * its first locking statement wait. Only the first waits here. So a thread that waits in the JVM holds no lock for
 * which another waits at the server.
 *
 * <p>One thread at a time may use it, as with any connection. {@link #cancel}, {@link #close} and {@link #abort} may
 * come from other threads, because they do not use the driver's connection.
 */
public final class Turns {
    private final DropIn dropIn;
    private final DriverAccess access;
    private final RowFinder rows;
    private final SessionIdentity identity;
    private final RowQueue queue;
    private final KeptWrites kept = new KeptWrites();

    /** The turn of the first write that is kept, until the write is sent; null if that write did not queue. */
    private @Nullable Turn keptTurn;

    /** The turn of every statement that does not wait. */
    private final Turn passing;

    private boolean mayHoldLocks;

    /** The last turn that the server has answered, while its row is held. */
    private @Nullable Turn granted;

    /**
     * Creates the turns of a connection.
     *
     * @param connection the driver's or the pool's connection
     * @param origin all that determines the driver's connection besides its URL; null if it is not known
     */
    public Turns(DropIn dropIn, Connection connection, @Nullable Object origin) throws SQLException {
        this.dropIn = dropIn;
        this.access = new DriverAccess(connection);
        this.rows = new RowFinder(access, dropIn.primaryKeys);
        this.passing = new Turn(access, null, null, null, null);
        this.mayHoldLocks = !access.isIdle();
        // A layer between Rowlock and the driver may alter the session without Rowlock's knowledge.
        Object made = origin == null || dropIn.groups == null || !access.isDirect()
                ? null
                : List.of(access.session().url(), origin);
        this.identity = new SessionIdentity(access, made);
        this.queue = new RowQueue(dropIn, access, identity);
    }

    /** Returns what is known about changes to the session since its connection was made. */
    public SessionIdentity identity() {
        return identity;
    }

    /**
     * Waits until the statement may go to the server, if it has to wait.
     *
     * @param plan null if statements are not examined
     * @param binds the values of the parameters
     * @param statement the driver's or the pool's statement
     * @param isWhole whether it is one execution of a statement, which a group may send in its place
     * @return the turn, which the caller leaves when the server has answered
     * @throws SQLException if the wait was cancelled; the error is the server's
     */
    public Turn enter(@Nullable StatementPlan plan, Binds binds, Statement statement, boolean isWhole)
            throws SQLException {
        access.begin();
        try {
            sendKept();
            sees(plan);
            return turn(plan, binds, statement, isWhole);
        } catch (SQLException | RuntimeException | Error e) {
            access.end();
            throw e;
        }
    }

    /** Notes that a statement goes to the server, or into a batch. */
    public void sees(@Nullable StatementPlan plan) {
        if (!identity.isAlone()) {
            identity.runs(plan == null ? SessionEffect.ALTERS : plan.effect());
        }
    }

    private Turn turn(@Nullable StatementPlan plan, Binds binds, Statement statement, boolean isWhole)
            throws SQLException {
        if (dropIn.mode() == DropInMode.OFF || plan == null || access.isClosed()) {
            mayHoldLocks = true;
            return passing;
        }
        if (!mayHoldLocks || access.driver().isClosed()) {
            access.find();
        }
        if (mayHoldLocks && kept.isEmpty() && access.isIdle()) {
            ended();
        }
        queue.sees(plan);
        if (plan.shape() instanceof PassedThrough passed) {
            mayHoldLocks |= passed.mayLock();
            plan.figures().passed(passed.reason());
            return passing;
        }
        plan.figures().count(Figure.RECOGNISED);
        if (mayHoldLocks) {
            // Most statements of a transaction return here, without a look-up.
            plan.figures().passed(PassReason.NOT_FIRST);
            return passing;
        }
        mayHoldLocks = true;
        LockedRow row = rows.find(plan, (Recognised) plan.shape(), binds, dropIn.settings);
        Turn turn = row == null ? null : queue.enter(row, statement, isWhole);
        return turn == null ? passing : turn;
    }

    /**
     * Keeps writes until the transaction ends. Returns false if the driver could not send them in one flush with the
     * COMMIT, or would not begin a transaction.
     */
    public boolean keepUntilCommit(Predicate<String> checked) throws SQLException {
        boolean keeps = dropIn.settings.keepsWrites()
                && dropIn.mode() == DropInMode.QUEUE
                && access.session().carriesFronts()
                // If a backslash is an escape in strings, the driver may parse the text in another way than Rowlock.
                && !"off".equals(access.session().reported("standard_conforming_strings"))
                && !access.session().isOfXa()
                && !access.driver().getAutoCommit()
                && !access.session().isAborted();
        if (keeps) {
            run(this::endedIfIdle);
            kept.open(checked);
        }
        return keeps;
    }

    /** Whether writes are kept now. */
    public boolean keeps() {
        return kept.isOpen();
    }

    /** Whether the text and the table of a prepared statement allow Rowlock to keep its executions. */
    public boolean keeps(StatementPlan plan) {
        String table = plan.written();
        return kept.isOpen()
                && table != null
                && (plan.shape() instanceof PassedThrough || kept.checks(table))
                && !access.isClosed()
                && !access.session().isAborted()
                && rows.written(plan, dropIn.settings) != null;
    }

    /**
     * Keeps an execution of a statement. If it is the first of the transaction to lock, it waits for its turn now.
     *
     * @param statement the driver's or the pool's statement
     */
    public void keep(StatementPlan plan, Binds binds, Statement statement) throws SQLException {
        run(() -> {
            sees(plan);
            Turn turn = turn(plan, binds, statement, false);
            if (!turn.equals(passing)) {
                keptTurn = turn;
            }
            kept.add(plan.sql(), binds);
            plan.figures().count(Figure.KEPT);
        });
    }

    /** Sends the kept writes. This comes before any other use of the connection. */
    public void sendKept() throws SQLException {
        if (!kept.isEmpty()) {
            boolean done = false;
            try {
                kept.send(access.connection());
                done = true;
            } catch (SQLException | Error e) {
                // A write that never reached the server has not aborted the transaction there, and the rest must not be
                // stored without it.
                access.abort(e);
                learn(e);
                throw e;
            } finally {
                keptSent(done, done);
            }
        }
    }

    private void keptSent(boolean done, boolean holds) {
        Turn turn = keptTurn;
        if (turn != null) {
            keptTurn = null;
            if (turn.front() != null) {
                turn.front().unsent();
            }
            turn.answered(done, holds);
            granted = holds ? turn : granted;
        }
    }

    /** Forgets the primary keys if a count was wrong, because a table may have another key, or a new trigger. */
    private void learn(Throwable e) {
        if (e instanceof CommitFlushException failed && failed.isWrongCount()) {
            dropIn.primaryKeys.forget();
        }
    }

    /** Returns the error of a cancelled statement, as the server raises it. */
    public SQLException canceled() {
        return access.canceled();
    }

    /** Lets a statement pass whose locks are not examined, such as a batch. */
    public Turn pass(@Nullable StatementPlan plan, PassReason reason) throws SQLException {
        access.begin();
        try {
            sendKept();
        } catch (SQLException | RuntimeException | Error e) {
            access.end();
            throw e;
        }
        // After a DISCARD ALL the rest of the batch may alter the session again.
        boolean cleans = !identity.isAlone() && plan != null && plan.effect() == SessionEffect.CLEANS;
        sees(cleans ? null : plan);
        mayHoldLocks = true;
        if (plan != null) {
            plan.figures().passed(reason);
        }
        return passing;
    }

    /** Leaves a turn, because the server has answered or nothing was sent. */
    public void leave(Turn turn, boolean done) {
        if (!turn.equals(passing)) {
            boolean holds = done && access.session().isOpen();
            turn.answered(done, holds);
            granted = holds ? turn : granted;
        }
        identity.ran(done);
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

    /** Runs a call. Rowlock sends no queries of its own meanwhile. */
    public void run(Call call) throws SQLException {
        access.begin();
        try {
            call.run();
        } finally {
            access.end();
        }
    }

    /** Whether Rowlock sends the COMMIT itself, because kept writes go with it. */
    public boolean commitsHere() throws SQLException {
        return !kept.isEmpty() && !access.isClosed() && !access.driver().getAutoCommit();
    }

    /** Commits the transaction, with the writes that are kept. */
    public void commit() throws SQLException {
        boolean done = false;
        try {
            if (kept.isEmpty()) {
                access.connection().commit();
            } else {
                commitKept();
            }
            done = true;
        } finally {
            if (!done) {
                // The transaction is usually over even if its commit has failed.
                endedIfIdle();
            }
        }
        ended();
    }

    private void commitKept() throws SQLException {
        boolean done = false;
        try {
            kept.commit(access.connection());
            done = true;
        } catch (CommitFlushException e) {
            learn(e);
            throw e;
        } finally {
            keptSent(done, false);
        }
    }

    /**
     * Releases the turn, because the transaction has ended. While another thread runs a statement this does not happen,
     * because that statement may belong to the next transaction.
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
            last.released();
            granted = null;
        }
        mayHoldLocks = false;
        queue.ended();
    }

    /** Calls {@link #ended} if the transaction has ended. */
    public void endedIfIdle() throws SQLException {
        // Until the kept writes are sent, the transaction looks as if it had not begun.
        if (kept.isEmpty() && !access.isClosed() && !access.driver().isClosed() && access.isIdle()) {
            ended();
        }
    }

    /** Releases everything, because the connection returns to its pool or ends. */
    public void close() {
        abort();
        access.awaitQuestions();
        forget();
    }

    /** Sends the waiting thread to the server, where it fails because the connection is closed. */
    public void abort() {
        access.close();
        queue.wake();
    }

    /**
     * Cancels the wait of a statement, which then ends with the server's error. Returns false if the statement does not
     * wait here.
     */
    public boolean cancel(Statement statement) throws SQLException {
        return queue.cancel(statement);
    }
}
