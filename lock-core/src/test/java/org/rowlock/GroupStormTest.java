package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/**
 * Members drawn at random, some of whom fail, while others are interrupted, their statements cancelled, their server
 * processes ended and their connections lost. Each writes a row of its own to a ledger beside its update: what is
 * acknowledged is there once, what has failed is not there, and what is unknown is there once or not at all.
 */
class GroupStormTest {
    private static final int KEYS = 3;
    private static final int THREADS = 24;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null default 0)",
            "insert into account select g from generate_series(1, " + KEYS + ") g",
            "create table other(id int primary key, n bigint not null default 0)",
            "insert into other select g from generate_series(1, 4) g",
            "create table ledger(id int, account int, amount bigint check (amount <> 13))",
            // For which a pool closes the connection.
            "create function unsupported() returns bigint language plpgsql as"
                    + " $$begin raise 'unsupported' using errcode = '0A000'; end$$");

    /** What only those meet who ask for it. */
    private static final Set<String> OWN_FAILURES = Set.of("23514", "42P01", "0A000");

    private enum Told {
        NOTHING,
        STORED,
        FAILED,
        UNKNOWN
    }

    private final Map<Told, AtomicInteger> told = new EnumMap<>(Told.class);
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

    /** What goes on until so many are done. */
    private final class Storm {
        private final int members;
        private final int kills;
        private final int evils;
        private final long seed;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger killed = new AtomicInteger();
        private final AtomicIntegerArray outcomes;
        private final AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(THREADS);
        private final String name;
        private final Map<Integer, Throwable> failures = new ConcurrentHashMap<>();

        /**
         * A storm.
         *
         * @param evils how many members pass between two other disturbances
         */
        Storm(int members, int kills, int evils, long seed) {
            this.members = members;
            this.kills = kills;
            this.evils = evils;
            this.seed = seed;
            this.outcomes = new AtomicIntegerArray(members);
            this.name = database.schema() + "_storm";
            for (Told each : Told.values()) {
                told.putIfAbsent(each, new AtomicInteger());
            }
        }

        void run() throws Exception {
            Random random = new Random(seed);
            try (TcpProxy proxy = TcpProxy.to(database.dataSource())) {
                PGSimpleDataSource through = proxy.through(database.dataSource());
                through.setApplicationName(name);
                through.setOptions("-c deadlock_timeout=20ms");
                try (HikariDataSource pool = new HikariDataSource()) {
                    pool.setDataSource(through);
                    pool.setMaximumPoolSize(8);
                    pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
                    RowLocks locks = LockAccess.builder()
                            .strategy(LockStrategy.values()[random.nextInt(3)])
                            .release(LockRelease.values()[random.nextInt(2)])
                            .largestGroup(2 << random.nextInt(5))
                            .build();
                    List<Thread> workers = new ArrayList<>();
                    for (int i = 0; i < THREADS; i++) {
                        int place = i;
                        long own = random.nextLong();
                        Thread worker = new Thread(() -> work(locks, pool, place, new Random(own)));
                        worker.setDaemon(true);
                        threads.set(i, worker);
                        workers.add(worker);
                    }
                    workers.forEach(Thread::start);
                    disturb(proxy, random);
                    for (Thread each : workers) {
                        each.join(TestDatabase.DEADLINE.toMillis());
                        assertThat(each.isAlive())
                                .as("a caller that never came back")
                                .isFalse();
                    }
                    assertThat(LockAccess.of(locks).admission().keysInUse()).isZero();
                }
            }
            check();
        }

        private void work(RowLocks locks, HikariDataSource pool, int place, Random random) {
            for (int id = next.getAndIncrement(); id < members; id = next.getAndIncrement()) {
                Told outcome;
                try {
                    outcome = pay(locks, pool, id, random);
                } catch (Throwable e) {
                    wrong.add(id + ": " + e);
                    outcome = Told.UNKNOWN;
                }
                // Not before the next one, which it would be for.
                boolean unused = Thread.interrupted();
                outcomes.set(id, outcome.ordinal());
                told.get(outcome).incrementAndGet();
            }
            threads.set(place, null);
        }

        private Told pay(RowLocks locks, HikariDataSource pool, int id, Random random) throws Exception {
            int account = 1 + (random.nextInt(3) == 0 ? random.nextInt(KEYS) : 0);
            long amount = 1 + random.nextInt(9);
            int kind = random.nextInt(100);
            CommitWrites writes = new CommitWrites();
            CommitWrite returned = null;
            if (kind < 20) {
                returned = writes.add(
                        "update account set balance = balance + ? where id = ? returning balance", amount, account);
            } else {
                writes.add("update account set balance = balance + ? where id = ?", amount, account)
                        .expectOneRow();
            }
            writes.add("insert into ledger values (?, ?, ?)", id, account, amount);
            switch (kind) {
                case 90 ->
                    writes.add("update account set balance = 0 where id = 99").expectOneRow();
                case 91 -> writes.add("insert into ledger values (?, ?, ?)", id, account, 13);
                case 92 -> writes.add("update nothing set a = 1");
                case 93 -> writes.add("insert into ledger values (?, ?, unsupported())", id, account);
                default -> {
                    if (kind > 80) {
                        // In any order, so that groups of several keys meet in deadlocks.
                        writes.add("update other set n = n + 1 where id = ?", 1 + random.nextInt(4));
                        writes.add("update other set n = n + 1 where id = ?", 1 + random.nextInt(4));
                    }
                }
            }
            LockWait wait = kind >= 20 && kind < 26
                    ? LockWait.atMost(Duration.ofMillis(random.nextInt(30)))
                    : LockWait.forever();
            try {
                locks.on(pool)
                        .lock(LockRequest.forNoKeyUpdate(LockKey.row("account", account))
                                .waiting(wait))
                        .execute(writes);
            } catch (CommitNotConfirmedException e) {
                return Told.STORED;
            } catch (CommitOutcomeUnknownException e) {
                return Told.UNKNOWN;
            } catch (SQLException | RowlockException e) {
                failures.put(id, e);
                boolean own = e instanceof UnexpectedRowCountException
                        || (e instanceof SQLException sql && OWN_FAILURES.contains(String.valueOf(sql.getSQLState())));
                if (own && (kind < 90 || kind > 93)) {
                    wrong.add(id + ": was told of another's failure: " + Throwables.getStackTrace(e));
                }
                return Told.FAILED;
            }
            if (returned != null && returned.rows().size() != 1) {
                wrong.add(id + ": rows " + returned.rows());
            }
            if (kind >= 90 && kind <= 93) {
                wrong.add(id + ": was to fail");
            }
            return Told.STORED;
        }

        /** Now and then: not by the clock, but by how many are done. */
        private void disturb(TcpProxy proxy, Random random) throws SQLException {
            int kill = 0;
            int evil = 0;
            try (Connection connection = database.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                while (next.get() < members) {
                    LockSupport.parkNanos(1_000_000);
                    int done = next.get();
                    if (kill < kills && done > (long) members * kill / kills) {
                        kill += end(statement, "pg_terminate_backend", random);
                    }
                    if (done > evil * evils) {
                        evil = done / evils + 1;
                        switch (random.nextInt(8)) {
                            case 0 -> proxy.cutAll();
                            case 1 -> proxy.cutBefore("insert into ledger");
                            case 2 -> proxy.cutAfter("COMMIT");
                            case 3, 4 -> end(statement, "pg_cancel_backend", random);
                            default -> {
                                Thread thread = threads.get(random.nextInt(THREADS));
                                if (thread != null) {
                                    thread.interrupt();
                                }
                            }
                        }
                    }
                }
            }
            killed.set(kill);
        }

        private int end(Statement statement, String how, Random random) throws SQLException {
            List<Integer> busy = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(
                    "select pid from pg_stat_activity where application_name = '" + name + "' and state <> 'idle'")) {
                while (row.next()) {
                    busy.add(row.getInt(1));
                }
            }
            if (busy.isEmpty()) {
                return 0;
            }
            try (ResultSet row =
                    statement.executeQuery("select " + how + "(" + busy.get(random.nextInt(busy.size())) + ")")) {
                return row.next() && row.getBoolean(1) ? 1 : 0;
            }
        }

        private void check() throws SQLException {
            int[] stored = new int[members];
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement()) {
                    statement.setFetchSize(10_000);
                    ResultSet rows = statement.executeQuery("select id from ledger");
                    while (rows.next()) {
                        stored[rows.getInt(1)]++;
                    }
                }
            }
            for (int id = 0; id < members; id++) {
                Told outcome = Told.values()[outcomes.get(id)];
                boolean right = switch (outcome) {
                    case NOTHING -> false;
                    case STORED -> stored[id] == 1;
                    case FAILED -> stored[id] == 0;
                    case UNKNOWN -> stored[id] <= 1;
                };
                if (!right) {
                    Throwable failure = failures.get(id);
                    wrong.add(id + ": told " + outcome + ", stored " + stored[id] + " times "
                            + (failure == null ? "" : Throwables.getStackTrace(failure)));
                }
            }
            assertThat(wrong).as("seed " + seed).isEmpty();
            assertThat(database.query("select string_agg(a.id || ':' || a.balance, ',' order by a.id) from account a"))
                    .as("seed " + seed)
                    .isEqualTo(database.query(
                            "select string_agg(a.id || ':' || (select coalesce(sum(l.amount), 0) from ledger l"
                                    + " where l.account = a.id), ',' order by a.id) from account a"));
        }
    }

    /** How many members have shared a transaction with another. */
    private long grouped() throws SQLException {
        return Long.parseLong(
                database.query(
                        "select coalesce(sum(n), 0) from (select count(*) n from ledger group by xmin::text having count(*) > 1) t"));
    }

    @Test
    void whatIsAcknowledgedIsThereOnce() throws Exception {
        Storm storm = new Storm(1_500, 6, 40, System.nanoTime());
        storm.run();
        assertThat(grouped()).isPositive();
        assertThat(told.get(Told.STORED).get()).isPositive();
    }

    /**
     * As many as the properties rowlock.test.group.members and rowlock.test.group.kills say, in storms of other
     * strategies, releases and sizes.
     */
    @Test
    @Tag("long")
    void whatIsAcknowledgedIsThereOnceInManyStorms() throws Exception {
        int members = Integer.getInteger("rowlock.test.group.members", 20_000);
        int kills = Integer.getInteger("rowlock.test.group.kills", 40);
        int storms = Integer.getInteger("rowlock.test.group.storms", 4);
        long shared = 0;
        int killed = 0;
        for (int i = 0; i < storms; i++) {
            Storm storm = new Storm(members / storms, kills / storms, 500, System.nanoTime());
            storm.run();
            shared += grouped();
            killed += storm.killed.get();
            database.execute("truncate ledger", "update account set balance = 0");
        }
        assertThat(shared).isPositive();
        System.out.println(told + ", of which in groups " + shared + ", server processes ended " + killed);
    }
}
