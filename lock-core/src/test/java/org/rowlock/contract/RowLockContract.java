package org.rowlock.contract;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * What every strategy promises. Each subclass is one theme; {@link StrategyContracts} runs all of them for one
 * strategy. Where the strategies differ on purpose, {@link StrategyDifferencesTest} says so.
 */
abstract class RowLockContract {
    static final String ACCOUNTS = "create table account(id int primary key, balance bigint not null default 0)";
    static final String TEN_ACCOUNTS = "insert into account select g from generate_series(1, 10) g";

    @RegisterExtension
    final TestDatabase database;

    final RowLocks locks;

    Session alice;
    Session bob;
    private Session newcomer;
    private final LockStrategy strategy;

    RowLockContract(FirstLockContracts of, String... setUp) {
        database = new TestDatabase(setUp);
        strategy = of.strategy;
        locks = of.locks;
    }

    final LockStrategy strategy() {
        return strategy;
    }

    @BeforeEach
    void openSessions() throws SQLException {
        alice = database.session("alice");
        bob = database.session("bob");
    }

    /** Part of a test that holds for each of several values. */
    @FunctionalInterface
    interface Part<T> {
        void of(T value) throws Exception;
    }

    /** Runs a part of a test for each value, in transactions of their own, and names the value that it fails for. */
    <T> void forEach(List<T> values, Part<T> part) throws Exception {
        for (T value : values) {
            try {
                part.of(value);
                alice.rollback();
                bob.rollback();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("with <" + value + ">: " + e.getMessage(), e);
            }
        }
    }

    static LockKey account(int id) {
        return LockKey.row("account", id);
    }

    LockResult lock(Session session, LockRequest request) throws Exception {
        return Locks.lock(session, locks, request);
    }

    LockResult lock(Session session, LockKey key) throws Exception {
        return lock(session, forUpdate(key));
    }

    LockResult lock(Session session, LockKey key, RowLockMode mode) throws Exception {
        return lock(session, LockRequest.of(mode, List.of(key)));
    }

    LockResult lock(Session session, LockKey key, LockWait wait) throws Exception {
        return lock(session, Requests.waiting(forUpdate(key), wait));
    }

    boolean tryLock(Session session, LockKey key) throws Exception {
        return tryLock(session, key, RowLockMode.FOR_UPDATE);
    }

    boolean tryLock(Session session, LockKey key, RowLockMode mode) throws Exception {
        return tryLock(session, LockRequest.of(mode, List.of(key)).allowAbsent());
    }

    boolean tryLock(Session session, LockRequest request) throws Exception {
        return Locks.tryLock(session, locks, request);
    }

    LockResult lockAll(Session session, Collection<? extends LockKey> keys) throws Exception {
        return lock(session, forUpdate(keys));
    }

    LockResult lockAll(Session session, Collection<? extends LockKey> keys, LockWait wait) throws Exception {
        return lock(session, Requests.waiting(forUpdate(keys), wait));
    }

    boolean tryLockAll(Session session, Collection<? extends LockKey> keys) throws Exception {
        return tryLock(session, forUpdate(keys).allowAbsent());
    }

    Step<LockResult> startLock(Session session, LockRequest request) {
        return Locks.startLock(session, locks, request);
    }

    Step<LockResult> startLock(Session session, LockKey key) {
        return startLock(session, forUpdate(key));
    }

    Step<LockResult> startLock(Session session, LockKey key, RowLockMode mode) {
        return startLock(session, LockRequest.of(mode, List.of(key)));
    }

    Step<LockResult> startLock(Session session, LockKey key, LockWait wait) {
        return startLock(session, Requests.waiting(forUpdate(key), wait));
    }

    Step<LockResult> startLockAll(Session session, Collection<? extends LockKey> keys, LockWait wait) {
        return startLock(session, Requests.waiting(forUpdate(keys), wait));
    }

    /** Claims rows and gives a column of them. */
    List<Integer> claim(Session session, Claim claim, String column) throws Exception {
        return session.run(c -> locks.in(c).claim(claim, row -> row.getInt(column)));
    }

    /** A mapper that throws. */
    static RowMapper<Integer> throwing(Exception thrown) {
        return row -> {
            if (thrown instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw (SQLException) thrown;
        };
    }

    /** Whether a newcomer would get the key exclusively, right now. */
    boolean isFree(LockKey key) throws Exception {
        return isFree(key, RowLockMode.FOR_UPDATE);
    }

    /** Whether a newcomer would get the key, right now. */
    boolean isFree(LockKey key, RowLockMode mode) throws Exception {
        boolean free = tryLock(newcomer(), key, mode);
        newcomer.rollback();
        return free;
    }

    private Session newcomer() throws SQLException {
        if (newcomer == null) {
            newcomer = database.session("newcomer");
        }
        return newcomer;
    }

    /** How many advisory locks a session holds, as the server counts them, but for one in front. */
    int advisoryLocksOf(Session session) throws Exception {
        String path = session.connection().unwrap(PgConnection.class).getParameterStatus("search_path");
        String fronts = IntStream.rangeClosed(1, 10)
                .mapToObj(id -> Long.toString(FrontSql.key(path, "account", List.of(Integer.toString(id)))))
                .collect(Collectors.joining(", "));
        String count = query(
                newcomer(),
                "select count(*) from pg_locks where locktype = 'advisory' and granted and pid = " + session.pid()
                        + " and (objsubid <> 1 or (classid::bigint << 32 | objid::bigint) not in (" + fronts + "))");
        newcomer.rollback();
        return Integer.parseInt(count);
    }

    /** How many of so many row keys show up as advisory locks with this strategy. */
    int advisoryLocksFor(int rows) {
        return strategy() == LockStrategy.ROW ? 0 : rows;
    }

    /** The first column of the first row, within the session's transaction. */
    static String query(Session session, String sql) throws Exception {
        return session.run(c -> TestDatabase.query(c, sql));
    }

    /** What is committed. */
    long balance(int id) throws Exception {
        String balance = query(newcomer(), "select balance from account where id = " + id);
        newcomer.rollback();
        return Long.parseLong(balance);
    }
}
