package org.rowlock.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.testing.Locks.on;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowlockException;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.LedgerStorm;
import org.rowlock.testing.Requests;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** Members drawn at random, some of whom fail. Each writes a row of its own to a ledger beside its update. */
class GroupStormTest {
    private static final int KEYS = 3;
    private static final int THREADS = 24;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            KEYS,
            "create table other(id int primary key, n bigint not null default 0)",
            "insert into other select g from generate_series(1, 4) g",
            "create table ledger(id int, account int, amount bigint check (amount <> 13))",
            // For which a pool closes the connection.
            "create function unsupported() returns bigint language plpgsql as"
                    + " $$begin raise 'unsupported' using errcode = '0A000'; end$$");

    /** What only those meet who ask for it. */
    private static final Set<String> OWN_FAILURES = Set.of("23514", "42P01", "0A000");

    /** Calls of {@code execute}, of other strategies, releases and sizes in each storm. */
    private final class Storm extends LedgerStorm {
        private final Random random = new Random(seed);
        private final RowLocks locks = LockAccess.builder()
                .strategy(LockStrategy.values()[random.nextInt(3)])
                .release(LockRelease.values()[random.nextInt(2)])
                .largestGroup(2 << random.nextInt(5))
                .build();
        private final HikariDataSource pool = new HikariDataSource();

        Storm(int members, int evils) {
            super(database.dataSource(), THREADS, members, evils);
        }

        void run() throws Exception {
            try (TcpProxy proxy = TcpProxy.to(database.dataSource());
                    pool) {
                PGSimpleDataSource through = proxy.through(database.dataSource());
                through.setApplicationName(applicationName());
                through.setOptions("-c deadlock_timeout=20ms");
                pool.setDataSource(through);
                pool.setMaximumPoolSize(8);
                pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
                blow(proxy, random);
                assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
            }
            check("select id from ledger");
            assertThat(database.query("select string_agg(a.id || ':' || a.balance, ',' order by a.id) from account a"))
                    .as("seed " + seed)
                    .isEqualTo(database.query(
                            "select string_agg(a.id || ':' || (select coalesce(sum(l.amount), 0) from ledger l"
                                    + " where l.account = a.id), ',' order by a.id) from account a"));
        }

        @Override
        protected Told pay(int id, Random random) throws Exception {
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
            LockWait wait =
                    kind >= 20 && kind < 26 ? LockWait.atMost(Duration.ofMillis(random.nextInt(30))) : LockWait.FOREVER;
            try {
                on(locks, pool)
                        .lock(Requests.waiting(LockRequest.forNoKeyUpdate(LockKey.row("account", account)), wait))
                        .execute(writes);
            } catch (CommitNotConfirmedException e) {
                return Told.STORED;
            } catch (CommitOutcomeUnknownException e) {
                return Told.UNKNOWN;
            } catch (SQLException | RowlockException e) {
                failed(id, e);
                boolean own = e instanceof UnexpectedRowCountException
                        || (e instanceof SQLException sql && OWN_FAILURES.contains(String.valueOf(sql.getSQLState())));
                if (own && (kind < 90 || kind > 93)) {
                    wrong(id, "was told of another's failure: " + Throwables.getStackTrace(e));
                }
                return Told.FAILED;
            }
            if (returned != null && returned.rows().size() != 1) {
                wrong(id, "rows " + returned.rows());
            }
            if (kind >= 90 && kind <= 93) {
                wrong(id, "was to fail");
            }
            return Told.STORED;
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
        Storm storm = new Storm(1_500, 40);
        storm.run();
        assertThat(grouped()).isPositive();
        assertThat(storm.told(LedgerStorm.Told.STORED)).isPositive();
    }

    /** As many as the property rowlock.test.group.members says, in storms of other strategies, releases and sizes. */
    @Test
    @Tag("long")
    void whatIsAcknowledgedIsThereOnceInManyStorms() throws Exception {
        int members = Integer.getInteger("rowlock.test.group.members", 20_000);
        long shared = 0;
        int killed = 0;
        for (int done = 0; done < members; done += 5_000) {
            Storm storm = new Storm(5_000, 200);
            storm.run();
            shared += grouped();
            killed += storm.killed();
            database.execute("truncate ledger", "update account set balance = 0");
        }
        assertThat(shared).isPositive();
        System.out.println(members + " members, in groups " + shared + ", server processes ended " + killed);
    }
}
