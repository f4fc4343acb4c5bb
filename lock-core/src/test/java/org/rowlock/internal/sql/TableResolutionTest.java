package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockSerializationException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.testing.Doors;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** Which table a name means is the server's to say, at every lock anew. */
class TableResolutionTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(9);

    private String second;
    private Session alice;
    private Session bob;

    @BeforeEach
    void createSecondSchema() throws Exception {
        alice = database.session("alice");
        bob = database.session("bob");
        second = database.schema() + "_b";
        database.execute(
                "create schema " + second,
                "create table " + second + ".account(id int primary key)",
                "insert into " + second + ".account values (1)");
    }

    @AfterEach
    void dropSecondSchema() throws Exception {
        alice.rollback();
        bob.rollback();
        database.execute("drop schema " + second + " cascade");
    }

    private void assertOneKey(RowLocks alices, LockKey one, RowLocks bobs, LockKey other) throws Exception {
        lock(alice, alices, forUpdate(one));
        assertThat(tryLock(bob, bobs, forUpdate(other))).isFalse();
        alice.rollback();
        LockResult result = lock(bob, bobs, forUpdate(other));
        assertThat(result.absentRows()).isEmpty();
        assertThat(tryLock(alice, alices, forUpdate(one))).isFalse();
        alice.rollback();
        bob.rollback();
    }

    private void assertTwoKeys(RowLocks locks, LockKey one, LockKey other) throws Exception {
        lock(alice, locks, forUpdate(one));
        assertThat(tryLock(bob, locks, forUpdate(other))).isTrue();
        alice.rollback();
        bob.rollback();
    }

    @EveryStrategy
    void spellingsOfOneTableAreOneKey(RowLocks locks) throws Exception {
        for (String name : List.of("ACCOUNT", "\"account\"", database.schema() + ".account", "Account")) {
            assertOneKey(locks, row("account", 1), locks, row(name, 1));
        }
        String catalog = database.query("select quote_ident(current_database())");
        assertOneKey(locks, row("account", 1), locks, row(catalog + "." + database.schema() + ".account", "1"));
    }

    @EveryStrategy
    void sameNameInTwoSchemasIsTwoKeys(RowLocks locks) throws Exception {
        assertTwoKeys(locks, row("account", 1), row(second + ".account", 1));
        assertOneKey(locks, row(second + ".account", 1), locks, row(second + ".account", 1));
    }

    @EveryStrategy
    void searchPathOfTheSessionDecides(RowLocks locks) throws Exception {
        lock(alice, locks, forUpdate(row("account", 1)));
        alice.rollback();
        alice.execute("set search_path to " + second);
        alice.commit();
        assertTwoKeys(locks, row("account", 1), row("account", 1));
        assertOneKey(locks, row("account", 1), locks, row(second + ".account", 1));
        // And within one transaction, as SQL does.
        alice.execute("set local search_path to " + database.schema());
        lock(alice, locks, forUpdate(row("account", 1)));
        assertThat(tryLock(bob, locks, forUpdate(row("account", 1)))).isFalse();
    }

    @EveryStrategy
    void partitionAndRootAreOneKey(LockStrategy strategy, RowLocks locks) throws Exception {
        database.execute(
                "create table part(id int primary key) partition by range (id)",
                "create table part_low partition of part for values from (0) to (100) partition by range (id)",
                "create table part_lowest partition of part_low for values from (0) to (10)",
                "insert into part values (1)");
        assertOneKey(locks, row("part", 1), locks, row("part_lowest", 1));
        assertOneKey(locks, row("part_low", 1), locks, row("part_lowest", 1));
        lock(alice, locks, forUpdate(List.of(row("part_low", 1), row("part", 1), row("part_lowest", 1))));
        assertThat(alice.advisoryLocks()).isEqualTo(strategy == LockStrategy.ROW ? 0 : 1);
        alice.rollback();
        // A partition that has left the tree is a table of its own.
        database.execute(
                "alter table part_low detach partition part_lowest",
                "create table part_new partition of part_low for values from (0) to (10)",
                "insert into part values (1)");
        assertTwoKeys(locks, row("part", 1), row("part_lowest", 1));
    }

    @EveryStrategy
    void afterASwapByRenameOldAndNewInstancesAgree(LockStrategy strategy) throws Exception {
        RowLocks old = locks(strategy);
        assertOneKey(old, row("account", 1), old, row("account", 1));
        swap("create table account_new(id int primary key, balance bigint)");
        database.execute("insert into account values (1)");
        RowLocks fresh = locks(strategy);
        assertOneKey(old, row("account", 1), fresh, row("account", 1));
        assertTwoKeys(old, row("account", 1), row("account_old", 1));
    }

    @EveryStrategy
    void aTransactionThatBeganBeforeASwapAgreesWithThoseAfterIt(LockStrategy strategy, RowLocks locks)
            throws Exception {
        lock(alice, locks, forUpdate(row("account", 1)));
        alice.rollback();
        alice.execute("select 1");
        swap("create table account_new(id int primary key, balance bigint)");
        database.execute("insert into account values (1), (2)");
        assertOneKey(locks, row("account", 1), locks(strategy), row("account", 1));
    }

    /** As with FOR UPDATE, and so the holder's own reads and writes go to the table whose key it holds. */
    @EveryStrategy
    void aSwapWaitsForThoseWhoHoldALock(LockStrategy strategy, RowLocks locks, Session admin) throws Exception {
        for (boolean several : List.of(false, true)) {
            alice.run(c -> several
                    ? locks.in(c).lock(forUpdate(LockKey.rows("account", List.of(1, 2))))
                    : locks.in(c).lock(forUpdate(row("account", 1))));
            Step<Boolean> swap = admin.startExecute("alter table account rename to account_old");
            swap.awaitBlockedBy(alice);
            alice.commit();
            swap.get();
            admin.execute("create table account(id int primary key, balance bigint)");
            admin.execute("insert into account values (1)");
            admin.commit();
            assertOneKey(locks, row("account", 1), locks(strategy), row("account", 1));
            database.execute("drop table account", "alter table account_old rename to account");
        }
    }

    private void swap(String createNew) throws Exception {
        database.execute(
                "set lock_timeout = '30s'",
                createNew,
                "alter table account rename to account_old",
                "alter table account_new rename to account");
    }

    @EveryStrategy
    void reservedWordsNeedNoQuotes(RowLocks locks) throws Exception {
        database.execute("create table \"order\"(id int primary key)", "insert into \"order\" values (1)");
        assertOneKey(locks, row("order", 1), locks, row("\"order\"", 1));
    }

    @EveryStrategy
    void namesLongerThanTheServerKeepsAreCutAsTheServerDoes(RowLocks locks) throws Exception {
        String name = "a".repeat(70);
        database.execute("create table " + name + "(id int primary key)", "insert into " + name + " values (1)");
        assertOneKey(locks, row(name, 1), locks, row("a".repeat(63), 1));
    }

    @EveryStrategy
    void temporaryTableInFrontIsAKeyOfItsOwn(RowLocks locks) throws Exception {
        alice.execute("create temporary table account(id int primary key) on commit preserve rows");
        alice.execute("insert into account values (1)");
        alice.commit();
        assertTwoKeys(locks, row("account", 1), row("account", 1));
        assertOneKey(locks, row(database.schema() + ".account", 1), locks, row("account", 1));
        alice.execute("drop table account");
        alice.commit();
    }

    /** The kept name of the key column is found wrong, and the table is looked up again in the same call. */
    @EveryStrategy.WithRow
    void aSwapToATableWithAnotherKeyColumnIsFollowed(LockStrategy strategy) throws Exception {
        for (Session.Body<?> body : Doors.ofTable(locks(strategy), "account").values()) {
            alice.run(body);
            alice.rollback();
            swap("create table account_new(number int primary key, balance bigint)");
            database.execute("insert into account values (1), (2)");
            alice.run(body);
            alice.rollback();
            database.execute("drop table account", "alter table account_old rename to account");
            // And back again, for the next way.
            alice.run(body);
            alice.rollback();
        }
    }

    @EveryStrategy.WithRow
    void anIdThatBecomesAUuidIsFollowed(RowLocks locks) throws Exception {
        lock(alice, locks, forUpdate(row("account", 1)));
        alice.rollback();
        UUID id = UUID.randomUUID();
        swap("create table account_new(id uuid primary key)");
        database.execute("insert into account values ('" + id + "')");
        assertFoundAtTheLatestTheSecondTime(locks, row("account", id));
    }

    /** Tenants in schemas of their own, whose tables differ in the type of the id. */
    @EveryStrategy.WithRow
    void oneNameOfTwoTypesByTheSearchPath(RowLocks locks) throws Exception {
        lock(alice, locks, forUpdate(row("account", 1)));
        alice.rollback();
        database.execute(
                "alter table " + second + ".account alter column id type text",
                "insert into " + second + ".account values ('one')");
        alice.execute("set search_path to " + second);
        alice.commit();
        assertFoundAtTheLatestTheSecondTime(locks, row("account", "one"));
    }

    private void assertFoundAtTheLatestTheSecondTime(RowLocks locks, LockKey key) throws Exception {
        try {
            lock(alice, locks, forUpdate(key));
        } catch (RowlockException e) {
            alice.rollback();
        }
        LockResult result = lock(alice, locks, forUpdate(key));
        assertThat(result.absentRows()).isEmpty();
        assertThat(result.isHeld()).isTrue();
    }

    /** As often as they take turns: what tells them apart is asked for once they have been mixed up. */
    @EveryStrategy
    void aTemporaryTableInFrontAndTheOneBehindItTakeTurns(LockStrategy strategy) throws Exception {
        alice.execute("create temporary table account(id bigint primary key)");
        alice.execute("insert into account values (1)");
        alice.commit();
        assertFewAreMixedUp(locks(strategy), row("account", 1), "select 1");
    }

    /** After a change each looks the table up again, and then it is known as before. */
    @EveryStrategy
    void anUnrelatedTemporaryTableCostsNothingAfterAChange(RowLocks locks) throws Exception {
        PGSimpleDataSource counting = RoundTripCounter.counting(database.dataSource());
        Connection one = database.closing(counting.getConnection());
        Connection other = database.closing(counting.getConnection());
        TestDatabase.execute(other, "create temporary table unrelated(id int)");
        one.setAutoCommit(false);
        other.setAutoCommit(false);
        roundTrips(locks, one);
        int before = roundTrips(locks, other);
        database.execute("alter table account alter column id type bigint");
        for (Connection each : List.of(other, one, other, one)) {
            roundTrips(locks, each);
        }
        assertThat(roundTrips(locks, other)).isEqualTo(before);
    }

    /** As of a VACUUM FULL of an old partition, for which a row lock in another partition does not wait either. */
    @EveryStrategy
    void aLockedPartitionDelaysNoOtherPartition(RowLocks locks) throws Exception {
        database.execute(
                "create table part(id int primary key) partition by list (id)",
                "create table part_1 partition of part for values in (1)",
                "create table part_2 partition of part for values in (2)",
                "insert into part values (1), (2)");
        bob.execute("lock table part_2 in access exclusive mode");
        LockRequest request = forUpdate(row("part", 1)).atMost(Duration.ofSeconds(1));
        assertThat(lock(alice, locks, request).absentRows()).isEmpty();
    }

    /** An instance that starts under load would otherwise look its table up in each of its sessions at once. */
    @EveryStrategy
    void callersThatStartTogetherShareOneLookUp(LockStrategy strategy) throws Exception {
        PGSimpleDataSource counting = RoundTripCounter.counting(database.dataSource());
        int callers = 4;
        Connection one = database.closing(begin(counting));
        RowLocks alone = locks(strategy);
        int first = roundTrips(alone, one);
        int later = roundTrips(alone, one);
        for (int round = 0; round < 5; round++) {
            RowLocks locks = locks(strategy);
            CyclicBarrier start = new CyclicBarrier(callers);
            List<Integer> counted = Threads.query(callers, number -> {
                try (Connection connection = begin(counting)) {
                    start.await(30, TimeUnit.SECONDS);
                    return roundTrips(locks, connection, number + 1);
                }
            });
            assertThat(counted.stream().mapToInt(Integer::intValue).sum()).isEqualTo(first + (callers - 1) * later);
        }
    }

    private static int roundTrips(RowLocks locks, Connection connection) throws SQLException {
        return roundTrips(locks, connection, 1);
    }

    private static int roundTrips(RowLocks locks, Connection connection, int id) throws SQLException {
        int before = RoundTripCounter.counted();
        assertThat(locks.in(connection).lock(forUpdate(row("account", id))).absentRows())
                .isEmpty();
        int counted = RoundTripCounter.counted() - before;
        connection.commit();
        return counted;
    }

    @EveryStrategy
    void rolesWithSchemasOfTheirNamesTakeTurns(LockStrategy strategy) throws Exception {
        database.execute(
                "create role " + second,
                "grant usage on schema " + second + " to " + second,
                "alter table " + second + ".account alter column id type bigint",
                "grant all on table " + second + ".account to " + second);
        try {
            for (Session session : List.of(alice, bob)) {
                session.execute("set search_path to \"$user\", " + database.schema());
                session.commit();
            }
            assertFewAreMixedUp(locks(strategy), row("account", 1), "set local role " + second);
        } finally {
            alice.rollback();
            database.execute("drop owned by " + second, "drop role " + second);
        }
    }

    private void assertFewAreMixedUp(RowLocks locks, LockKey key, String first) throws Exception {
        int failures = 0;
        for (int i = 0; i < 10; i++) {
            alice.execute(first);
            for (Session session : List.of(alice, bob)) {
                session.execute("select 1");
                try {
                    LockResult result = lock(session, locks, forUpdate(key));
                    assertThat(result.absentRows()).isEmpty();
                } catch (LockSerializationException e) {
                    failures++;
                }
                session.rollback();
            }
        }
        assertThat(failures).isLessThanOrEqualTo(2);
    }
}
