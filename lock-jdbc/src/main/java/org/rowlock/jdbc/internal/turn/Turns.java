package org.rowlock.jdbc.internal.turn;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jdbc.internal.group.GroupMember;
import org.rowlock.jdbc.internal.group.GroupSession;
import org.rowlock.jdbc.internal.group.Groups;
import org.rowlock.jdbc.internal.statement.PassReason;
import org.rowlock.jdbc.internal.statement.RowKey;
import org.rowlock.jdbc.internal.statement.SessionEffect;
import org.rowlock.jdbc.internal.statement.StatementShape.PassedThrough;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Waiting;

/**
 * The turns of one connection: whether its transaction may hold locks already, and the wait of its first locking
 * statement. Only the first waits here, so that nobody waits at the server for one who waits in the JVM.
 *
 * <p>For one thread at a time, as a connection is, but for {@link #cancel}, {@link #close} and {@link #abort}, which do
 * not use the driver's connection.
 */
public final class Turns {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /**
     * The part of a timeout that may be spent in the JVM. The server, which alone can end a statement as it would
     * without us, counts from when it has it; so the error comes at most that much later.
     */
    static final int PART_OF_TIMEOUT = FrontSql.PART_OF_TIMEOUT;

    private static final int OTHERS = Integer.MAX_VALUE - 1;

    private final DropIn dropIn;
    private final Connection connection;

    /** Of the transaction: a driver in front of PostgreSQL's may connect anew, by itself, when a server has gone. */
    private BaseConnection driver;

    private final int database;
    private final String user;
    private final Set<PrimaryKeys.Name> unknownTables = ConcurrentHashMap.newKeySet();

    /**
     * One permit for each thread that uses the driver's connection. What nobody has asked for is sent with all of them:
     * never behind the statement of another thread, where it would wait, and its timeout would cancel that one.
     */
    private final Semaphore use = new Semaphore(Integer.MAX_VALUE);

    private volatile boolean closed;
    private boolean mayHoldLocks;
    private boolean changedSettings;
    private volatile @Nullable Wait wait;

    /** The last that the server has answered to. */
    private @Nullable QueueEntry granted;

    private @Nullable StatementPlan turnOf;

    private final GroupSession groupSession;

    /** What others may send in place of the statement that is about to enter. */
    private @Nullable GroupMember offered;

    /** What goes in front of the statement that has just got its turn. */
    private @Nullable Front front;

    /** A wait that may be ended from outside. */
    private static final class Wait {
        private final Statement statement;
        private final QueueEntry entry;
        private final @Nullable GroupMember member;
        private volatile boolean cancelled;

        Wait(Statement statement, QueueEntry entry, @Nullable GroupMember member) {
            this.statement = statement;
            this.entry = entry;
            this.member = member;
        }
    }

    /**
     * Those of a connection.
     *
     * @param connection the driver's or the pool's
     * @param origin what the driver's was made of, or null if that is not known
     */
    public Turns(DropIn dropIn, Connection connection, @Nullable Object origin) throws SQLException {
        this.dropIn = dropIn;
        this.connection = connection;
        this.driver = connection.unwrap(BaseConnection.class);
        this.database = String.valueOf(driver.getMetaData().getURL()).hashCode();
        this.user = String.valueOf(driver.getMetaData().getUserName());
        this.mayHoldLocks = driver.getTransactionState() != TransactionState.IDLE;
        // What is between us and the driver may do what we do not see.
        boolean seesAll = origin != null && dropIn.groups() != null && driver.equals(connection);
        this.groupSession = new GroupSession(
                seesAll ? List.of(driver.getMetaData().getURL(), Objects.requireNonNull(origin)) : null);
    }

    /** What is known of the session since its connection was made. */
    public GroupSession groupSession() {
        return groupSession;
    }

    /**
     * Offers the next statement to those who wait for the same row.
     *
     * @return what becomes of it; null if it goes alone
     */
    public @Nullable GroupMember offer(
            @Nullable StatementPlan plan, String sql, PreparedStatement statement, GroupMember.Binds binds) {
        Groups groups = dropIn.groups();
        offered = groups == null || plan == null || !plan.groups() || groupSession.isAlone()
                ? null
                : new GroupMember(groups, sql, statement, binds, plan.figures()::grouped);
        return offered;
    }

    /**
     * Waits, if the statement is to wait, for its turn to go to the server.
     *
     * @param plan null where nobody looks
     * @param binds what is bound to its parameters
     * @param statement the driver's or the pool's
     * @return the entry to leave when the server has answered, or null for none
     * @throws SQLException if it was cancelled in the JVM, as the server has it
     */
    public @Nullable QueueEntry enter(@Nullable StatementPlan plan, Binds binds, Statement statement)
            throws SQLException {
        use.acquireUninterruptibly();
        GroupMember member = offered;
        offered = null;
        boolean done = false;
        try {
            sees(plan);
            QueueEntry entry = turn(plan, binds, statement, member);
            done = true;
            return entry;
        } finally {
            if (!done) {
                use.release();
            }
        }
    }

    /** The text of a statement goes to the server, or into a batch. */
    public void sees(@Nullable StatementPlan plan) {
        if (!groupSession.isAlone()) {
            groupSession.runs(plan == null ? SessionEffect.ALTERS : plan.effect());
        }
    }

    private @Nullable QueueEntry turn(
            @Nullable StatementPlan plan, Binds binds, Statement statement, @Nullable GroupMember member)
            throws SQLException {
        RowlockMode mode = dropIn.mode();
        if (mode == RowlockMode.OFF || plan == null || closed) {
            mayHoldLocks = true;
            return null;
        }
        if ((!mayHoldLocks || driver.isClosed()) && !driver.equals(connection)) {
            driver = connection.unwrap(BaseConnection.class);
        }
        if (mayHoldLocks && driver.getTransactionState() == TransactionState.IDLE) {
            ended();
        }
        changedSettings |= plan.changesSettings();
        if (plan.locksSession()) {
            dropIn.sessionLocks().put(driver, true);
        }
        if (plan.shape() instanceof PassedThrough passed) {
            mayHoldLocks |= passed.mayLock();
            plan.figures().passed(passed.reason());
            return null;
        }
        Recognised recognised = (Recognised) plan.shape();
        plan.figures().recognised();
        if (mayHoldLocks) {
            // Most statements of a transaction: for them there is nothing to look up.
            plan.figures().passed(PassReason.NOT_FIRST);
            return null;
        }
        mayHoldLocks = true;
        PrimaryKeys.Found found = found(recognised);
        RowKey key = key(plan, recognised, found, binds);
        if (found == null || key == null) {
            return null;
        }
        int hash = 31 * (31 * database + Long.hashCode(found.table())) + binds.hash(key);
        QueueEntry entry = dropIn.queues().entry(hash, member);
        boolean done = false;
        try {
            turnOf = plan;
            if (!entry.tryEnter()) {
                String row = name(recognised, binds, key);
                if (mode == RowlockMode.OBSERVE) {
                    plan.figures().wouldQueue();
                    dropIn.hotRows().count(row);
                    entry.pass();
                } else {
                    offer(member, plan, recognised.table(), row);
                    if (!queue(new Wait(statement, entry, member), plan, row)) {
                        return null;
                    }
                }
            }
            boolean fronted = mode == RowlockMode.QUEUE && !(member != null && member.leads());
            front = fronted ? front(entry, recognised, found, binds, key) : null;
            done = true;
            return entry;
        } finally {
            if (!done) {
                entry.leave();
            }
        }
    }

    /**
     * What is to go in front. With more conditions a row that is there may not be found: a stale version is to fail at
     * once, and keeps nobody out.
     */
    private @Nullable Front front(
            QueueEntry entry, Recognised recognised, PrimaryKeys.Found found, Binds binds, RowKey key) {
        Front asked = recognised.hasOnly(key) && !found.isCitus()
                ? entry.front(dropIn.settings().front())
                : null;
        if (asked == null) {
            return null;
        }
        dropIn.wantFronts();
        List<Object> parts = new ArrayList<>(key.values().size());
        key.values().forEach(value -> parts.add(binds.value(value)));
        try {
            if (mayFront()) {
                List<String> id = LockKey.row(recognised.table(), parts).id();
                return asked.of(FrontSql.key(driver.getParameterStatus("search_path"), recognised.table(), id));
            }
        } catch (IllegalArgumentException e) {
            LOG.log(Level.TRACE, "The key format has no such value", e);
        }
        asked.unsent();
        return null;
    }

    /** What goes in front of the statement that has just got its turn; null for nothing. Once. */
    public @Nullable Front takeFront() {
        Front taken = front;
        front = null;
        return taken;
    }

    /** The longest wait for what goes in front; the server has the session's own timeouts, and makes it shorter. */
    public static int frontMillis(Front lock, Statement statement) throws SQLException {
        int own = statement.getQueryTimeout();
        return own == 0
                ? lock.millis()
                : (int) Math.min(lock.millis(), TimeUnit.SECONDS.toMillis(own) / PART_OF_TIMEOUT);
    }

    /**
     * Undoes what the lock in front has begun where it could not be had, so that the statement can go to the server
     * without. False where the error is that of the statement.
     */
    public boolean givesUpFront(StatementPlan plan, Front lock, SQLException error) throws SQLException {
        if (!ServerErrors.mayBeOfFront(error)) {
            return false;
        }
        plan.figures().frontGivenUp();
        if (driver.getTransactionState() != TransactionState.IDLE) {
            // Only what begins a transaction has a lock in front, so nothing else is lost.
            driver.rollback();
        }
        lock.givenUp();
        return true;
    }

    /** The error of a statement that was cancelled, as the server raises it. */
    public SQLException canceled() {
        return ServerError.canceled(connection);
    }

    /**
     * Whether a lock may go in front: the driver sends it in the same flush, and a waiter for it holds nothing. So
     * nobody but those behind waits; one that has only read holds its tables, for which LOCK TABLE waits, and may hold
     * advisory locks of its own.
     */
    private boolean mayFront() {
        PreferQueryMode queries = driver.getPreferQueryMode();
        return (queries == PreferQueryMode.EXTENDED || queries == PreferQueryMode.EXTENDED_CACHE_EVERYTHING)
                && driver.getPrepareThreshold() >= 0
                && driver.getAutosave() == AutoSave.NEVER
                && driver.getTransactionState() == TransactionState.IDLE
                && dropIn.sessionLocks().get(driver) == null;
    }

    /** A statement that locks what nobody looks at, such as a batch, goes to the server; to be left. */
    public void pass(@Nullable StatementPlan plan, PassReason reason) {
        use.acquireUninterruptibly();
        sees(plan);
        mayHoldLocks = true;
        if (plan != null) {
            plan.figures().passed(reason);
        }
    }

    /** The server has answered, or there was nothing to send. */
    public void leave(@Nullable QueueEntry entry, boolean done) throws SQLException {
        if (entry != null) {
            boolean holds = done && driver.getTransactionState() == TransactionState.OPEN;
            entry.answered(done, holds);
            granted = holds ? entry : granted;
        }
        groupSession.ran(done);
        try {
            lookUpIfIdle();
            if (done && !closed && dropIn.releasesEarly() && driver.getTransactionState() == TransactionState.IDLE) {
                // By the pool's, which ends that with the connection, before another has the driver's.
                dropIn.earlyCommits().awaitDurable(connection);
            }
        } finally {
            use.release();
        }
    }

    /** What uses the driver's connection, and may end the transaction. */
    public interface Call {
        void run() throws SQLException;
    }

    /** Runs a call. */
    public void run(Call call) throws SQLException {
        use.acquireUninterruptibly();
        try {
            call.run();
        } finally {
            use.release();
        }
    }

    /** Whether the end of the transaction is ours: rows are let go of early, and it may have read one of them. */
    public boolean commitsHere() throws SQLException {
        return dropIn.releasesEarly()
                && !closed
                && !driver.getAutoCommit()
                && driver.getTransactionState() == TransactionState.OPEN;
    }

    /** Whether others want the row of the turn, or wanted it when it came. */
    private boolean isWanted() {
        QueueEntry last = granted;
        return last != null && last.isWanted();
    }

    /**
     * Commits.
     *
     * @param connection the driver's or the pool's
     * @throws SQLException what it throws, and of an early release that has committed and is not known to be durable
     *     RL001
     */
    public void commit(Connection connection) throws SQLException {
        if (commitsHere()) {
            StatementPlan plan = isWanted() ? turnOf : null;
            if (plan != null) {
                released();
            }
            dropIn.earlyCommits().commit(connection, plan);
        } else {
            connection.commit();
        }
        ended();
    }

    /** The row is not held any more, or as good as that. */
    private void released() {
        QueueEntry last = granted;
        if (last != null) {
            last.released();
            granted = null;
        }
    }

    /** The transaction has ended. If another thread runs a statement, that may be of the next. */
    public void ended() {
        if (use.tryAcquire(OTHERS)) {
            try {
                forget();
            } finally {
                use.release(OTHERS);
            }
            lookUpIfIdle();
        }
    }

    private void forget() {
        released();
        mayHoldLocks = false;
        if (changedSettings) {
            changedSettings = false;
            dropIn.timeouts().remove(driver);
        }
    }

    /** The transaction has ended, if it has. */
    public void endedIfIdle() throws SQLException {
        if (!closed && !driver.isClosed() && driver.getTransactionState() == TransactionState.IDLE) {
            ended();
        }
    }

    /**
     * From here on the next borrower of the pool may use the driver's connection. So this waits for what
     * another thread asks of its own accord; without a pool the connection ends, and with it the question.
     */
    public void close() {
        abort();
        if (!driver.equals(connection)) {
            use.acquireUninterruptibly();
            use.release();
        }
        forget();
    }

    /** Sends the thread that waits here to the server, whose answer is then that of a connection that is gone. */
    public void abort() {
        closed = true;
        Wait now = wait;
        if (now != null) {
            now.entry.wake();
        }
    }

    /** Ends the wait of a statement as the server would end it. False if it does not wait here. */
    public boolean cancel(Statement statement) throws SQLException {
        Wait now = wait;
        if (now == null || !now.statement.equals(statement)) {
            return false;
        }
        now.cancelled = true;
        return now.entry.wake() || (now.member != null && now.member.cancel());
    }

    private PrimaryKeys.@Nullable Found found(Recognised recognised) {
        PrimaryKeys.Name table =
                new PrimaryKeys.Name(recognised.table(), driver.getParameterStatus("search_path"), user);
        PrimaryKeys.Found found = dropIn.primaryKeys().find(table);
        if (found == null || found.isOver()) {
            unknownTables.add(table);
        }
        return found;
    }

    private @Nullable RowKey key(
            StatementPlan plan, Recognised recognised, PrimaryKeys.@Nullable Found found, Binds binds) {
        RowKey key = found == null ? null : plan.key(recognised, found);
        PassReason reason = reason(recognised, found, key, binds);
        if (reason != null) {
            plan.figures().passed(reason);
            return null;
        }
        return key;
    }

    private @Nullable PassReason reason(
            Recognised recognised, PrimaryKeys.@Nullable Found found, @Nullable RowKey key, Binds binds) {
        if (!dropIn.settings().covers(recognised.table())) {
            return PassReason.EXCLUDED;
        }
        if (recognised.waiting() != Waiting.WAIT) {
            return PassReason.NO_WAIT;
        }
        if (recognised.mode() == RowLockMode.FOR_SHARE || recognised.mode() == RowLockMode.FOR_KEY_SHARE) {
            return PassReason.SHARED;
        }
        if (found == null) {
            return PassReason.TABLE_UNKNOWN;
        }
        if (found.columns().isEmpty()) {
            return PassReason.NO_PRIMARY_KEY;
        }
        if (key == null) {
            return PassReason.NO_KEY;
        }
        return binds.has(key) ? null : PassReason.KEY_VALUE;
    }

    private static String name(Recognised recognised, Binds binds, RowKey key) {
        return recognised.table() + '(' + binds.text(key) + ')';
    }

    /** False where it is to go to the server without a place. */
    private boolean queue(Wait waiting, StatementPlan plan, String row) throws SQLException {
        if (driver.getTransactionState() == TransactionState.FAILED) {
            return false;
        }
        // The first event of a JVM costs a tenth of a second.
        @Nullable QueuedEvent event = FlightRecorder.isInitialized() ? new QueuedEvent() : null;
        if (event != null) {
            event.begin();
        }
        long start = System.nanoTime();
        wait = waiting;
        if (closed) {
            waiting.entry.wake();
        }
        try {
            waiting.entry.enter(longestWait(waiting.statement), Integer.MAX_VALUE);
        } finally {
            wait = null;
        }
        boolean grouped = waiting.member != null && waiting.member.entered(waiting.entry);
        plan.figures().queued(System.nanoTime() - start);
        dropIn.hotRows().count(row);
        if (event != null) {
            event.end();
            if (event.shouldCommit()) {
                event.row = row;
                event.admitted = grouped || waiting.entry.isIn();
                event.commit();
            }
        }
        if (waiting.cancelled && !grouped) {
            throw ServerError.canceled(connection);
        }
        return waiting.entry.isIn();
    }

    /** Before the wait, as it may ask the server. */
    private void offer(@Nullable GroupMember member, StatementPlan plan, String table, String row) throws SQLException {
        Groups groups = dropIn.groups();
        if (groups == null || !driver.getAutoCommit()) {
            return;
        }
        Groups.@Nullable Alone alone = Groups.Alone.STATEMENT;
        if (member != null || groupSession.isAlone()) {
            try {
                alone = member == null
                        ? Groups.Alone.SESSION
                        : groups.ready(member, groupSession, driver, table, row, look -> ask(look::of));
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "Whether others may send it could not be asked", e);
                alone = Groups.Alone.SESSION;
            }
        }
        if (alone != null) {
            plan.figures().alone(alone);
        }
    }

    private long longestWait(Statement statement) throws SQLException {
        int own = statement.getQueryTimeout();
        SessionTimeouts session = changedSettings ? null : dropIn.timeouts().get(driver);
        if (session == null) {
            try {
                session = ask(SessionTimeouts::of);
            } catch (SQLException e) {
                // The statement itself will say what is wrong.
                return 0;
            }
            dropIn.timeouts().put(driver, session);
        }
        long shortest = Math.min(session.nanos(), own == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(own));
        return shortest == Long.MAX_VALUE ? shortest : shortest / PART_OF_TIMEOUT;
    }

    private void lookUpIfIdle() {
        if (closed || unknownTables.isEmpty() || driver.getTransactionState() != TransactionState.IDLE) {
            return;
        }
        try {
            ask(asked -> {
                for (PrimaryKeys.Name name : unknownTables) {
                    if (dropIn.primaryKeys().claim(name)) {
                        dropIn.primaryKeys().lookUp(asked, name);
                    }
                }
                return unknownTables;
            });
        } catch (SQLException e) {
            // Tried again later; the application has its own answer from the server.
            LOG.log(Level.DEBUG, "The primary keys of " + unknownTables + " could not be looked up", e);
        }
        unknownTables.clear();
    }

    private interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /**
     * Asks the server without beginning the transaction of the application, if it has not begun; by a thread that has a
     * permit.
     *
     * @throws SQLException if it fails, another thread uses the connection, or it is closed
     */
    private <T> T ask(Question<T> question) throws SQLException {
        if (!use.tryAcquire(OTHERS)) {
            throw new SQLException("Another thread uses the connection");
        }
        try {
            boolean begins = !driver.getAutoCommit() && driver.getTransactionState() == TransactionState.IDLE;
            // To switch autocommit on and off of a read-only connection may make the session one that writes.
            if (closed || (begins && driver.isReadOnly())) {
                throw new SQLException("The connection is " + (closed ? "closed" : "read-only"));
            }
            return begins ? withAutocommit(question) : question.ask(driver);
        } finally {
            use.release(OTHERS);
        }
    }

    private <T> T withAutocommit(Question<T> question) throws SQLException {
        driver.setAutoCommit(true);
        try {
            return question.ask(driver);
        } finally {
            driver.setAutoCommit(false);
        }
    }
}
