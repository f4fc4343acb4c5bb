package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.TestDatabase;

/**
 * Threads that lock or insert counters, drawn at random, add one to each by a read and a write, and commit or roll
 * back. The primary key says that one of them inserts, and the counters that each holds the lock in its turn.
 */
class InsertPropertiesTest {
    private static final int THREADS = 4;

    /** How the locks are taken. */
    private enum Way {
        LOCK,
        TRY,
        QUERY,
        TRANSACTION,
        EXECUTE
    }

    /** How the transaction ends. */
    private enum End {
        COMMIT,
        ROLLBACK,
        DELETE
    }

    /**
     * One transaction.
     *
     * @param counters in the order given
     */
    private record Deed(Way way, End end, LockWait waiting, List<Integer> counters) {}

    /** Leaves a transaction. */
    private static final class Undone extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static TestDatabase database;
    private static ExecutorService threads;

    @BeforeContainer
    static void open() throws SQLException {
        database = new TestDatabase("create table counter(id int primary key, n int not null)");
        database.beforeEach(null);
        threads = Executors.newFixedThreadPool(THREADS);
    }

    @AfterContainer
    static void close() throws Exception {
        threads.shutdown();
        assertThat(threads.awaitTermination(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        database.afterEach(null);
    }

    @Provide
    Arbitrary<List<Deed>> withoutDeletes() {
        return deeds(End.COMMIT, End.ROLLBACK).list().ofMinSize(8).ofMaxSize(24);
    }

    @Provide
    Arbitrary<List<Deed>> withDeletes() {
        // Of one counter: of several one that is deleted meanwhile is inserted out of the order, see orInsert().
        return deeds(End.values())
                .map(deed -> new Deed(deed.way(), deed.end(), deed.waiting(), List.of(1)))
                .list()
                .ofMinSize(8)
                .ofMaxSize(24);
    }

    private static Arbitrary<Deed> deeds(End... ends) {
        return Combinators.combine(
                        Arbitraries.of(Way.class),
                        Arbitraries.of(ends),
                        Arbitraries.of(LockWait.FOREVER, LockWait.FOREVER, LockWait.atMost(Duration.ofMillis(3))),
                        Arbitraries.of(1, 2, 10)
                                .list()
                                .uniqueElements()
                                .ofMinSize(1)
                                .ofMaxSize(3))
                .as(Deed::new);
    }

    @Property(tries = 30, shrinking = ShrinkingMode.OFF)
    void oneInsertsAndEachHoldsTheLockInTurn(@ForAll("withoutDeletes") List<Deed> deeds, @ForAll LockStrategy strategy)
            throws Exception {
        database.execute("truncate counter");
        Map<Integer, Integer> committed = run(deeds, strategy);
        Map<Integer, Integer> stored = new TreeMap<>();
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement("select id, n from counter");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                stored.put(row.getInt(1), row.getInt(2));
            }
        }
        assertThat(stored).isEqualTo(committed);
    }

    /** What is deleted between an insert and the lock behind it is inserted again. */
    @Property(tries = 20, shrinking = ShrinkingMode.OFF)
    void whatIsLockedIsThere(@ForAll("withDeletes") List<Deed> deeds, @ForAll LockStrategy strategy) throws Exception {
        database.execute("truncate counter");
        run(deeds, strategy);
    }

    /** Runs them in threads, and gives how often each counter was to be raised by what has committed. */
    private static Map<Integer, Integer> run(List<Deed> deeds, LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Map<Integer, Integer> committed = new ConcurrentHashMap<>();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (Deed deed : deeds) {
            tasks.add(() -> {
                try {
                    run(locks, deed);
                    deed.counters().forEach(id -> committed.merge(id, 1, Integer::sum));
                } catch (Undone | LockNotAvailableException e) {
                    // Rolled back.
                }
                return null;
            });
        }
        for (Future<Void> task : threads.invokeAll(tasks, TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
            task.get();
        }
        return new TreeMap<>(committed);
    }

    private static void run(RowLocks locks, Deed deed) throws Exception {
        LockRequest request = request(deed);
        switch (deed.way()) {
            case TRANSACTION ->
                on(locks, database.dataSource()).lock(request).inTransaction(tx -> {
                    raise(tx.connection(), deed);
                    return null;
                });
            case EXECUTE -> {
                if (deed.end() != End.COMMIT) {
                    throw new Undone();
                }
                CommitWrites writes = new CommitWrites();
                writes.addBatch("update counter set n = n + 1 where id = ?", deed.counters())
                        .expectOneRow();
                on(locks, database.dataSource()).lock(request).execute(writes);
            }
            default -> {
                try (Connection connection = begin(database.dataSource())) {
                    lock(locks.in(connection), deed.way(), request);
                    raise(connection, deed);
                    connection.commit();
                }
            }
        }
    }

    private static LockRequest request(Deed deed) {
        return deed.counters().stream()
                .map(id -> Requests.waiting(
                        forUpdate(LockKey.row("counter", id)).orInsert("insert into counter values (?, 0)", id),
                        deed.waiting()))
                .reduce(LockRequest::and)
                .orElseThrow();
    }

    private static void lock(TransactionLocks tx, Way way, LockRequest request) throws Exception {
        switch (way) {
            case TRY -> {
                if (!tx.tryLock(request.noWait()).isHeld()) {
                    throw new Undone();
                }
            }
            case QUERY ->
                assertThat(tx.lockAndRead(request, "select count(*) from counter", row -> row.getInt(1)))
                        .hasSize(1);
            default -> assertThat(tx.lock(request).isHeld()).isTrue();
        }
    }

    /** By a read and a write, so that two that do it at a time would lose one. */
    private static void raise(Connection connection, Deed deed) throws SQLException, Undone {
        for (int id : deed.counters()) {
            int n = Integer.parseInt(TestDatabase.query(connection, "select n from counter where id = " + id));
            String sql = deed.end() == End.DELETE
                    ? "delete from counter where id = " + id
                    : "update counter set n = " + (n + 1) + " where id = " + id;
            try (PreparedStatement write = connection.prepareStatement(sql)) {
                assertThat(write.executeUpdate()).isEqualTo(1);
            }
        }
        if (deed.end() == End.ROLLBACK) {
            throw new Undone();
        }
    }
}
