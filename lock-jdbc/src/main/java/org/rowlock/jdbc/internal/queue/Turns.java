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
 * The turns of one connection: whether its transaction may hold locks already, and the wait of its first locking
 * statement. Only the first waits here, so that nobody waits at the server for one who waits in the JVM.
 *
 * <p>For one thread at a time, as a connection is, but for {@link #cancel}, {@link #close} and {@link #abort}, which do
 * not use the driver's connection.
 */
public final class Turns {
    private final DropIn dropIn;
    private final DriverAccess access;
    private final RowFinder rows;
    private final SessionIdentity identity;
    private final RowQueue queue;
    private final KeptWrites kept = new KeptWrites();

    /** The turn of the first write that is kept, until it is sent; null if that had none. */
    private @Nullable Turn keptTurn;

    /** Of a statement that does not wait. */
    private final Turn passing;

    private boolean mayHoldLocks;

    /** The last that the server has answered to, while its row is held. */
    private @Nullable Turn granted;

    /**
     * Those of a connection.
     *
     * @param connection the driver's or the pool's
     * @param origin what the driver's was made of, or null if that is not known
     */
    public Turns(DropIn dropIn, Connection connection, @Nullable Object origin) throws SQLException {
        this.dropIn = dropIn;
        this.access = new DriverAccess(connection);
        this.rows = new RowFinder(access, dropIn.primaryKeys);
        this.passing = new Turn(access, null, null, null, null);
        this.mayHoldLocks = !access.isIdle();
        // What is between us and the driver may do what we do not see.
        Object made = origin == null || dropIn.groups == null || !access.isDirect()
                ? null
                : List.of(access.session().url(), origin);
        this.identity = new SessionIdentity(access, made);
        this.queue = new RowQueue(dropIn, access, identity);
    }

    /** What is known of the session since its connection was made. */
    public SessionIdentity identity() {
        return identity;
    }

    /**
     * Waits, if the statement is to wait, for its turn to go to the server.
     *
     * @param plan null where nobody looks
     * @param binds what is bound to its parameters
     * @param statement the driver's or the pool's
     * @param isWhole whether it is one execution of a statement, which a group may do in its place
     * @return the turn, to be left when the server has answered
     * @throws SQLException if it was cancelled in the JVM, as the server has it
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

    /** The text of a statement goes to the server, or into a batch. */
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
            // Most statements of a transaction: for them there is nothing to look up.
            plan.figures().passed(PassReason.NOT_FIRST);
            return passing;
        }
        mayHoldLocks = true;
        LockedRow row = rows.find(plan, (Recognised) plan.shape(), binds, dropIn.settings);
        Turn turn = row == null ? null : queue.enter(row, statement, isWhole);
        return turn == null ? passing : turn;
    }

    /**
     * Keeps writes until the transaction ends. Refuses if the driver could not send them in one flush with the COMMIT,
     * or would not begin a transaction.
     */
    public boolean keepUntilCommit(Predicate<String> checked) throws SQLException {
        boolean keeps = dropIn.settings.keepsWrites()
                && dropIn.mode() == DropInMode.QUEUE
                && access.session().carriesFronts()
                // With escapes in strings the driver may read another statement than Rowlock.
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

    /** Whether the executions of a prepared statement can be kept, by its text and its table. */
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
     * Keeps an execution of such a statement, which takes its turn now if it is the first of the transaction to lock.
     *
     * @param statement the driver's or the pool's
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

    /** Sends what is kept, in front of anything else that is done with the connection. */
    public void sendKept() throws SQLException {
        if (!kept.isEmpty()) {
            boolean done = false;
            try {
                kept.send(access.connection());
                done = true;
            } catch (SQLException | Error e) {
                // What has not reached the server has not aborted there, and the rest is not to be stored without it.
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

    /** A table may have another key, or a new trigger. */
    private void learn(Throwable e) {
        if (e instanceof CommitFlushException failed && failed.isWrongCount()) {
            dropIn.primaryKeys.forget();
        }
    }

    /** The error of a statement that was cancelled, as the server raises it. */
    public SQLException canceled() {
        return access.canceled();
    }

    /** A statement that locks what nobody looks at, such as a batch, goes to the server. */
    public Turn pass(@Nullable StatementPlan plan, PassReason reason) throws SQLException {
        access.begin();
        try {
            sendKept();
        } catch (SQLException | RuntimeException | Error e) {
            access.end();
            throw e;
        }
        // Behind a DISCARD ALL the rest of the batch may alter the session again.
        boolean cleans = !identity.isAlone() && plan != null && plan.effect() == SessionEffect.CLEANS;
        sees(cleans ? null : plan);
        mayHoldLocks = true;
        if (plan != null) {
            plan.figures().passed(reason);
        }
        return passing;
    }

    /** The server has answered, or there was nothing to send. */
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

    /** What uses the driver's connection, and may end the transaction. */
    public interface Call {
        void run() throws SQLException;
    }

    /** Runs a call. */
    public void run(Call call) throws SQLException {
        access.begin();
        try {
            call.run();
        } finally {
            access.end();
        }
    }

    /** Whether the COMMIT is ours, as writes go with it. */
    public boolean commitsHere() throws SQLException {
        return !kept.isEmpty() && !access.isClosed() && !access.driver().getAutoCommit();
    }

    /** Commits, with the writes that are kept. */
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
                // Mostly the transaction is over all the same.
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

    /** The transaction has ended. If another thread runs a statement, that may be of the next. */
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

    /** The transaction has ended, if it has. */
    public void endedIfIdle() throws SQLException {
        // What is kept is not sent yet, and so has not begun.
        if (kept.isEmpty() && !access.isClosed() && !access.driver().isClosed() && access.isIdle()) {
            ended();
        }
    }

    /** From here on the connection is the pool's again, or gone. */
    public void close() {
        abort();
        access.awaitQuestions();
        forget();
    }

    /** Sends the thread that waits here to the server, whose answer is then that of a connection that is gone. */
    public void abort() {
        access.close();
        queue.wake();
    }

    /** Ends the wait of a statement as the server would end it. False if it does not wait here. */
    public boolean cancel(Statement statement) throws SQLException {
        return queue.cancel(statement);
    }
}
