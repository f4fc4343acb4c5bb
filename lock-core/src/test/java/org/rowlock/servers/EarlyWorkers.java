package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.commit.CommitWay;
import org.rowlock.testing.TestDatabase;

/**
 * Threads that pay with early release, by all ways and strategies, or read what others have paid, until the server is
 * gone, and know what was acknowledged.
 */
final class EarlyWorkers {
    static final String[] TABLES = Stream.concat(
                    Stream.of(
                            "create table account(id int primary key, balance bigint not null default 0)",
                            "insert into account values (1), (2)",
                            "create table payment(id int primary key)"),
                    EarlyReader.TABLES.stream())
            .toArray(String[]::new);

    private static final int THREADS = 4;

    private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger next;

    /**
     * Whether only those ways are left that are early whoever wants the row: a plain commit would make durable what
     * others have lost.
     */
    private volatile boolean surelyEarly;

    /** Those that have waited in the queue while the server was gone have not noticed. */
    private volatile boolean over;

    private EarlyWorkers(int first) {
        this.next = new AtomicInteger(first);
    }

    /** Starts them; each payment has an id from the given one on. */
    static EarlyWorkers start(DataSource dataSource, int first) {
        EarlyWorkers workers = new EarlyWorkers(first);
        // Each is an instance of its own, as others can only be known at the server.
        return workers.start(THREADS, () -> workers.pay(dataSource));
    }

    private EarlyWorkers start(int count, Runnable paying) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(paying, "worker-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        return this;
    }

    /** The same for callers of one instance, who wait for one row and share transactions. */
    static EarlyWorkers startInGroups(DataSource dataSource, int first) {
        EarlyWorkers workers = new EarlyWorkers(first);
        RowLocks locks =
                LockAccess.builder().release(LockRelease.EARLY).largestGroup(8).build();
        return workers.start(4 * THREADS, () -> workers.payInGroups(dataSource, locks));
    }

    private void payInGroups(DataSource dataSource, RowLocks locks) {
        while (!over) {
            int id = next.getAndIncrement();
            try {
                CommitWrites writes = new CommitWrites();
                writes.add("insert into payment values (?)", id);
                writes.add("update account set balance = balance + 1 where id = 1")
                        .expectOneRow();
                on(locks, dataSource).lock(forUpdate(CommitWay.KEY)).execute(writes);
                acknowledged.add(id);
            } catch (SQLException | RowlockException e) {
                return;
            }
        }
    }

    /** Else there were no groups. */
    static void assertShared(Connection connection) throws SQLException {
        assertThat(TestDatabase.query(connection, "select count(distinct xmin::text) < count(*) from payment"))
                .isEqualTo("t");
    }

    private void pay(DataSource dataSource) {
        Random random = new Random();
        RowLocks[] locks = new RowLocks[LockStrategy.values().length];
        for (LockStrategy strategy : LockStrategy.values()) {
            // ROW and ADVISORY would not exclude each other; the row is locked by its update in each.
            locks[strategy.ordinal()] = LockAccess.builder()
                    .strategy(strategy)
                    .release(LockRelease.EARLY)
                    .build();
        }
        while (!over) {
            int id = next.getAndIncrement();
            boolean reads = random.nextInt(4) == 0;
            CommitWay way = CommitWay.values()[random.nextInt(surelyEarly ? 2 : 3)];
            try {
                if (reads) {
                    acknowledged.addAll(
                            EarlyReader.readByAny(dataSource, 1 + id % EarlyReader.MOST, random, surelyEarly));
                } else {
                    way.add(
                            locks[random.nextInt(locks.length)],
                            dataSource,
                            1,
                            "insert into payment values (" + id + ")");
                    acknowledged.add(id);
                }
            } catch (LockDeadlockException e) {
                // Of two strategies at once; nothing is stored.
                continue;
            } catch (SQLException | RowlockException e) {
                return;
            }
        }
    }

    /** Until so many payments are acknowledged, and as many again that were surely early. */
    EarlyWorkers awaitAcknowledged(int payments) {
        awaitMore(payments);
        surelyEarly = true;
        awaitMore(payments);
        return this;
    }

    private void awaitMore(int payments) {
        int before = acknowledged.size();
        TestDatabase.await(payments + " payments are acknowledged")
                .until(() -> acknowledged.size() >= before + payments);
    }

    /** Until they have found the server gone. */
    Set<Integer> awaitEnd() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join(TestDatabase.DEADLINE.toMillis());
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
        return acknowledged;
    }

    Set<Integer> acknowledged() {
        return acknowledged;
    }

    static Set<Integer> stored(Connection connection) throws SQLException {
        return TestDatabase.list(connection, "select id from payment").stream()
                .map(Integer::valueOf)
                .collect(Collectors.toSet());
    }

    /** Nothing is torn: there is one payment for each that the balance has. */
    static void assertWhole(Connection connection) throws SQLException {
        assertThat(TestDatabase.query(connection, "select sum(balance) from account"))
                .isEqualTo(TestDatabase.query(connection, "select count(*) from payment"));
    }

    /** Pays from another account, with plain commits that wait for less, as the control that has to lose. */
    static Set<Integer> payWithoutWaiting(Connection connection, String level, int first, int payments)
            throws SQLException {
        Set<Integer> paid = new HashSet<>();
        connection.setAutoCommit(false);
        TestDatabase.execute(connection, "set synchronous_commit = " + level);
        for (int id = first; id < first + payments; id++) {
            TestDatabase.execute(
                    connection,
                    "insert into payment values (" + id + ")",
                    "update account set balance = balance + 1 where id = 2");
            connection.commit();
            paid.add(id);
        }
        return paid;
    }
}
