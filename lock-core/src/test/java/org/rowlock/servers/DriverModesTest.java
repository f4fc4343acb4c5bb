package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Every form of a lock works with every setting of the driver that changes how statements are sent. */
public class DriverModesTest {
    private static final LockKey KEY = row("account", 1);
    private static final String READ = "select balance from account where id = ?";
    private static final RowMapper<Long> BALANCE = row -> row.getLong("balance");

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(9, "create table thing(id uuid primary key)");

    /** What can be set of the driver and may matter. */
    public static Stream<String> settings() {
        return Stream.of(
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "preferQueryMode=extendedCacheEverything",
                "autosave=always",
                "autosave=always&cleanupSavepoints=true",
                "autosave=conservative",
                "prepareThreshold=0",
                "prepareThreshold=1",
                "stringtype=unspecified",
                "defaultRowFetchSize=1",
                "binaryTransfer=false",
                "reWriteBatchedInserts=true",
                "preparedStatementCacheQueries=0",
                "escapeSyntaxCallMode=callIfNoReturn&assumeMinServerVersion=14");
    }

    static Stream<Arguments> modes() {
        return settings()
                .flatMap(mode -> Stream.of(LockStrategy.values()).map(strategy -> Arguments.of(mode, strategy)));
    }

    public static PGSimpleDataSource set(PGSimpleDataSource dataSource, String mode) throws SQLException {
        for (String parameter : mode.split("&")) {
            String[] pair = parameter.split("=");
            dataSource.setProperty(pair[0], pair[1]);
        }
        return dataSource;
    }

    private Session session(String name, String mode) throws Exception {
        return database.session(name, set(database.dataSource(), mode));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("modes")
    void everyFormWorks(String mode, LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = session("alice", mode);
        Session bob = session("bob", mode);
        // Again and again, so that the driver prepares on the server.
        for (int i = 1; i <= 6; i++) {
            waitsAndReadsFresh(locks, alice, bob, i);
        }
        failsAndStaysUsable(locks, strategy, alice, bob);
        locksMany(locks, strategy, alice, bob);
        claims(locks, alice, bob);
    }

    private static void waitsAndReadsFresh(RowLocks locks, Session alice, Session bob, int round) throws Exception {
        lock(alice, locks, forUpdate(KEY));
        Step<List<Long>> step = bob.start(c -> locks.in(c).lockAndRead(forUpdate(KEY), READ, BALANCE, 1));
        step.awaitBlockedBy(alice);
        alice.execute("update account set balance = " + round + " where id = 1");
        alice.commit();
        assertThat(step.get()).containsExactly((long) round);
        bob.commit();
        assertThat(bob.advisoryLocks()).isZero();
    }

    private static void failsAndStaysUsable(RowLocks locks, LockStrategy strategy, Session alice, Session bob)
            throws Exception {
        LockWait briefly = LockWait.atMost(Duration.ofMillis(10));
        lock(alice, locks, forUpdate(KEY));
        bob.execute("update account set balance = 9 where id = 9");
        bob.execute("set local lock_timeout = '59s'");
        lock(bob, locks, forUpdate(row("account", 2)));
        int held = bob.advisoryLocks();
        for (LockWait wait : List.of(LockWait.NO_WAIT, briefly)) {
            assertThat(tryLock(bob, locks, Requests.waiting(forUpdate(KEY), wait)))
                    .isFalse();
            assertThat(tryLock(bob, locks, Requests.waiting(forShare(LockKey.rows("account", List.of(3, 1))), wait)))
                    .isFalse();
            assertThatThrownBy(() -> bob.run(
                            c -> locks.in(c).lockAndRead(Requests.waiting(forShare(KEY), wait), READ, BALANCE, 1)))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThat(bob.advisoryLocks()).isEqualTo(held);
        }
        assertThat(tryLock(bob, locks, Requests.waiting(forUpdate(row("account", 3)), briefly)))
                .isTrue();
        bob.run(c -> assertThat(TestDatabase.query(c, "show lock_timeout")).isEqualTo("59s"));
        bob.commit();
        alice.commit();
        assertThat((long) alice.run(c -> locks.in(c)
                        .lockAndRead(forUpdate(row("account", 9)), READ, BALANCE, 9)
                        .get(0)))
                .as("what bob's transaction did around " + strategy)
                .isEqualTo(9);
        alice.rollback();
        assertThat(bob.advisoryLocks()).isZero();
    }

    private static void locksMany(RowLocks locks, LockStrategy strategy, Session alice, Session bob) throws Exception {
        List<LockKey> keys = List.of(
                row("account", 5),
                row("account", 50),
                row("thing", UUID.fromString("00000000-0000-0000-0000-00000000000A")),
                LockKey.name("größe"),
                LockKey.number(Long.MIN_VALUE),
                LockKey.pair(Integer.MIN_VALUE, -1));
        LockResult result = lock(alice, locks, forUpdate(keys).allowAbsent());
        assertThat(result.absentRows()).hasSize(strategy == LockStrategy.ADVISORY ? 0 : 2);
        assertThat(alice.advisoryLocks()).isEqualTo(strategy == LockStrategy.ROW ? 3 : 6);
        for (LockKey key : keys) {
            boolean isFree = strategy == LockStrategy.ROW && result.absentRows().contains(key);
            if (!isFree) {
                assertThat(tryLock(bob, locks, forUpdate(key)))
                        .as(key.toString())
                        .isFalse();
            }
        }
        alice.commit();
        bob.rollback();
    }

    private static void claims(RowLocks locks, Session alice, Session bob) throws Exception {
        Claim claim = Claim.from("account").where("id < ?", 6).orderBy("id").limit(3);
        RowMapper<Integer> id = row -> row.getInt("id");
        List<Integer> alices = alice.run(c -> locks.in(c).claim(claim, id));
        assertThat(alices).containsExactly(1, 2, 3);
        List<Integer> bobs = bob.run(c -> locks.in(c).claim(claim, id));
        assertThat(bobs).containsExactly(4, 5);
        alice.commit();
        bob.commit();
    }

    /** A driver that fetches a few rows at a time would let a lock statement run on behind those that follow it. */
    @EveryStrategy
    void allRowsAreLockedBeforeWhatFollowsWhateverTheFetchSize(LockStrategy strategy, RowLocks locks, Session bob)
            throws Exception {
        List<LockKey> keys =
                LockKey.rows("account", IntStream.rangeClosed(1, 9).boxed().toList());
        Session alice = session("alice", "defaultRowFetchSize=2");
        // Keys alone are refused in REPEATABLE READ.
        for (int isolation : strategy == LockStrategy.ADVISORY ? List.of(2) : List.of(2, 4)) {
            alice.connection().setTransactionIsolation(isolation);
            lock(bob, locks, forUpdate(row("account", 8)));
            assertThat(tryLock(alice, locks, forUpdate(keys).atMost(Duration.ofMillis(30))))
                    .isFalse();
            alice.execute("select 1");
            alice.rollback();
            bob.rollback();
            lock(alice, locks, forUpdate(keys).atMost(TestDatabase.DEADLINE));
            alice.run(
                    c -> assertThat(TestDatabase.query(c, "show lock_timeout")).isEqualTo("0"));
            for (LockKey key : keys) {
                assertThat(tryLock(bob, locks, forUpdate(key))).isFalse();
            }
            alice.rollback();
            bob.rollback();
        }
    }
}
