package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Waits;

/**
 * What a lock that guards no write costs in WAL, transaction ids and MultiXacts, on a server where nobody else writes.
 */
@Tag("long")
class WriteFreeLockingTest {
    @AutoClose("stop")
    private static TestPostgres server;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(server, 100);

    private final RowLocks row = locks(LockStrategy.ROW);
    private final RowLocks advisory = locks(LockStrategy.ADVISORY);

    private Session alice;
    private Session bob;

    @BeforeAll
    static void startServer() {
        server = TestPostgres.embedded(Map.of(
                "autovacuum", "off", "wal_level", "minimal", "max_wal_senders", "0", "checkpoint_timeout", "1h"));
    }

    /** Leaves no hint bit or pruning to the measured transactions, which would write WAL for it by themselves. */
    @BeforeEach
    void settle() throws Exception {
        alice = database.session("alice");
        bob = database.session("bob");
        database.execute("vacuum freeze", "checkpoint");
        for (RowLocks locks : List.of(row, advisory)) {
            lockInEveryWay(alice, locks);
            lockInEveryWay(bob, locks);
        }
        database.execute("vacuum freeze", "checkpoint");
        lockInEveryWay(alice, advisory);
        lockInEveryWay(bob, advisory);
    }

    private static void lockInEveryWay(Session session, RowLocks locks) throws Exception {
        List<LockKey> keys = LockKey.rows("account", List.of(1, 2, 3, 4, 5));
        for (RowLockMode mode : RowLockMode.values()) {
            for (LockWait wait : Waits.ALL) {
                lock(session, locks, Requests.waiting(LockRequest.of(mode, List.of(keys.get(0))), wait));
                lock(session, locks, Requests.waiting(LockRequest.of(mode, keys), wait));
                session.run(c -> locks.in(c)
                        .lockAndRead(
                                Requests.waiting(LockRequest.of(mode, List.of(keys.get(1))), wait),
                                "select * from account where id = 2",
                                found -> 1));
            }
        }
        if (LockAccess.of(locks).tables().strategyOf(keys.get(0)) == LockStrategy.ROW) {
            // A claim takes row locks with every strategy.
            session.run(c -> locks.in(c).claim(Claim.from("account").limit(3), found -> 1));
        }
        session.commit();
    }

    private String walPosition() throws Exception {
        return database.query("select pg_current_wal_insert_lsn()");
    }

    /** How many MultiXacts were ever made. */
    private long multiXacts() throws Exception {
        return Long.parseLong(database.query("select mxid_age('1'::xid)"));
    }

    private static boolean hasXid(Session session) throws Exception {
        return RowLockContract.query(session, "select pg_current_xact_id_if_assigned()") != null;
    }

    @Test
    void advisoryWritesNoWal() throws Exception {
        String before = walPosition();

        for (int i = 0; i < 20; i++) {
            lockInEveryWay(alice, advisory);
            lockInEveryWay(bob, advisory);
        }

        assertThat(walPosition()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void rowWritesWal(RowLockMode mode) throws Exception {
        String before = walPosition();

        lock(alice, row, LockRequest.of(mode, List.of(LockKey.row("account", 7))));
        alice.commit();

        assertThat(walPosition()).isNotEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void advisoryAssignsNoTransactionIdAndRowDoes(RowLockMode mode) throws Exception {
        lock(alice, advisory, LockRequest.of(mode, List.of(LockKey.row("account", 7))));
        lock(bob, row, LockRequest.of(mode, List.of(LockKey.row("account", 7))));

        assertThat(hasXid(alice)).isFalse();
        assertThat(hasXid(bob)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void waitsOfAdvisoryAssignNoTransactionId(RowLockMode mode) throws Exception {
        LockKey key = LockKey.row("account", 7);
        for (LockWait wait : List.of(LockWait.NO_WAIT, LockWait.atMost(java.time.Duration.ofSeconds(9)))) {
            lock(alice, advisory, Requests.waiting(LockRequest.of(mode, List.of(key)), wait));
            lock(alice, advisory, Requests.waiting(LockRequest.of(mode, List.of(key, LockKey.name("x"))), wait));
            alice.run(c -> advisory.in(c)
                    .lockAndRead(Requests.waiting(LockRequest.of(mode, List.of(key)), wait), "select 1", found -> 1));
        }

        assertThat(hasXid(alice)).isFalse();
    }

    @Test
    void sharersMakeNoMultiXactWithAdvisory() throws Exception {
        long before = multiXacts();

        share(advisory);

        assertThat(multiXacts()).isEqualTo(before);
    }

    @Test
    void sharersMakeMultiXactsWithRow() throws Exception {
        long before = multiXacts();

        share(row);

        assertThat(multiXacts()).isGreaterThanOrEqualTo(before + 10);
    }

    private void share(RowLocks locks) throws Exception {
        for (int i = 1; i <= 10; i++) {
            LockKey key = LockKey.row("account", i);
            lock(alice, locks, forShare(key));
            lock(bob, locks, forShare(key));
            alice.commit();
            bob.commit();
        }
    }
}
