package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Cases.Waits;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Wait.Doing;

/** Checks from which figures on the rules give advice, and in which order. */
class RulesTest {
    @Test
    void aConvoyIsOfTenAndMore() {
        assertThat(rules(new Cases().table(new Waits("orders", 10)))).containsExactly("convoy");
        assertThat(rules(new Cases().table(new Waits("orders", 9)))).containsExactly("stay");
    }

    @Test
    void advisoryLocksThatAnIdleSessionKeepsAreOfALeaderOrLeft() {
        assertThat(rules(new Cases().kept(99))).isEmpty();
        assertThat(new Cases().kept(4_000).diagnose().advice()).singleElement().satisfies(advice -> {
            assertThat(advice.rule()).isEqualTo("kept-locks");
            assertThat(advice.action()).contains("pg_terminate_backend(4712)");
            assertThat(advice.figure()).contains("4,000");
        });
    }

    @Test
    void connectionsThatAreNearlyUsedUpAreTold() {
        assertThat(rules(new Cases().connections(85))).isEmpty();
        Diagnosis used = new Cases().connections(95).diagnose();
        assertThat(used.kind()).isEqualTo(Kind.OTHER);
        assertThat(used.advice()).singleElement().satisfies(advice -> {
            assertThat(advice.rule()).isEqualTo("connections");
            assertThat(advice.action()).contains("smaller pools").contains("max_connections");
            assertThat(advice.figure()).isEqualTo("96 of 97 client connections are in use, 40 of them idle");
        });
    }

    /** Sessions that wait for a row keep their connections, so their cause comes first. */
    @Test
    void aConvoyIsToldBeforeTheConnectionsThatItKeeps() {
        assertThat(rules(new Cases().connections(96).table(new Waits("orders", 40))))
                .containsExactly("convoy", "connections");
    }

    /** A JDBC session can hold its snapshot between statements, even under READ COMMITTED. */
    @Test
    void rollbacksAreOfSerializableOnlyWherePredicateLocksAre() {
        assertThat(rules(new Cases().rollbacks(500, null))).isEmpty();
        assertThat(new Cases().rollbacks(500, null).aborted().diagnose().advice())
                .singleElement()
                .satisfies(advice -> {
                    assertThat(advice.rule()).isEqualTo("rollbacks");
                    assertThat(advice.action()).contains("SQLSTATE").doesNotContain("SERIALIZABLE");
                });
        assertThat(new Cases()
                        .rollbacks(500, null)
                        .aborted("waits given up")
                        .diagnose()
                        .advice())
                .singleElement()
                .satisfies(advice -> assertThat(advice.action()).contains("lock_timeout"));
        assertThat(rules(new Cases().rollbacks(500, null).aborted("serializable")))
                .containsExactly("serialization");
    }

    @Test
    void aLeverPaysItsPartOfTheHold() {
        Waits table = new Waits("orders", 41);
        table.holders = shares(Doing.COMMITTING, 0.6, Doing.NONE_YET, 0.4);
        table.holderEvent = "IO:WalSync";
        assertThat(new Cases().table(table).diagnose().advice())
                .extracting(Advice::rule, Advice::gain)
                .containsExactly(tuple("faster-commit", 24.0), tuple("convoy", 16.0));
    }

    @Test
    void besideALongHoldItIsAdmission() {
        Waits held = new Waits("orders", 30);
        held.firstWaitMillis = 250;
        assertThat(rules(new Cases().table(held))).containsExactly("shorter-statements", "admission");
    }

    @Test
    void besideHoldersThatWaitThemselvesNoQueueGains() {
        Waits held = new Waits("orders", 30);
        held.firstWaitMillis = 250;
        held.holders = Map.of(Doing.WAITING_FOR_A_LOCK_ITSELF, 1.0);
        assertThat(rules(new Cases().table(held))).containsExactly("next-lock", "admission");
    }

    @Test
    void whatTakesMostOfTheHoldComesFirstAndTheLockNext() {
        Waits table = new Waits("orders", 30);
        table.holders = shares(Doing.COMMITTING, 0.91, Doing.NONE_YET, 0.09);
        table.holderEvent = "IO:WalSync";
        assertThat(rules(new Cases().table(table))).containsExactly("faster-commit");
        table.holders = shares(Doing.COMMITTING, 0.6, Doing.NONE_YET, 0.1);
        table.holderEvent = "IO:WalSync";
        assertThat(rules(new Cases().table(table))).containsExactly("faster-commit", "convoy");
        table.holderEvent = "IPC:SyncRep";
        assertThat(rules(new Cases().table(table))).containsExactly("faster-standby", "convoy");
        assertThat(firstReason(table)).contains("early release");
        table.holderEvent = "IO:WalSync";
        assertThat(firstReason(table)).contains("early release");
        table.holders = shares(Doing.NONE_YET, 0.5, Doing.COMMITTING, 0.3);
        assertThat(rules(new Cases().table(table))).containsExactly("convoy");
    }

    @Test
    void anIdleHolderWaitsForTheNetworkOrForItsApplication() {
        Waits table = new Waits("orders", 5);
        table.holders = shares(Doing.IDLE_IN_TRANSACTION, 0.9, Doing.RUNNING, 0.1);
        table.idleMillis = Threshold.WORK_MILLIS / 1.6 - 0.1;
        assertThat(rules(new Cases().table(table))).containsExactly("fewer-round-trips");
        table.idleMillis = Threshold.WORK_MILLIS / 1.6;
        assertThat(rules(new Cases().table(table))).containsExactly("shorter-transaction");
    }

    @Test
    void lessThanForUpdateIsAdvisedOnlyWhereAForeignKeyWaits() {
        Waits table = new Waits("orders", 30);
        assertThat(rules(new Cases().table(table))).containsExactly("convoy");
        table.cause = StatementKind.FOREIGN_KEY;
        table.mode = RowLockMode.FOR_KEY_SHARE;
        assertThat(rules(new Cases().table(table))).startsWith("no-key-update");
        table.cause = StatementKind.WRITE;
        assertThat(rules(new Cases().table(table))).containsExactly("convoy-of-writes");
    }

    @Test
    void whatHangsComesFirst() {
        Cases cases = new Cases().table(new Waits("orders", 30));
        assertThat(rules(cases.blocker(blocker(9.9, 20)))).containsExactly("convoy");
        assertThat(rules(cases.blocker(blocker(10, 3)))).containsExactly("blocker", "convoy");
    }

    /** The server shows wait events and locks at different times, so the two counts of one hot row differ. */
    @Test
    void waitsForRowsAreNotTakenForInsertsOfOneKey() {
        String insert = "insert into line_item values (1)";
        Blocker holder =
                new Blocker("4711", "", null, 5, "transactionid", null, "4712", null, false, "active", 0, 0, insert);
        assertThat(rules(new Cases()
                        .table(new Waits("orders", 12))
                        .busy("Lock:transactionid", 5)
                        .blocker(holder)))
                .containsExactly("convoy");
    }

    @Test
    void adviceOnWaitsThatAHangingSessionExplainsIsLeftOut() {
        Waits behind = new Waits("orders", 30);
        behind.holder = "4711";
        assertThat(rules(new Cases().table(behind).blocker(blocker(9.9, 29)))).containsExactly("convoy");
        assertThat(rules(new Cases().table(behind).blocker(blocker(10, 29)))).containsExactly("blocker");
    }

    /** A prepared transaction has no statement to show. */
    @Test
    void waitsBehindAPreparedTransactionAreAdvised() {
        Blocker prepared =
                new Blocker("0", "gid", null, 3, "relation", "orders", "4712", null, false, "prepared", 20, 20, null);
        assertThat(rules(new Cases().busy("Lock:relation", 3).blocker(prepared)))
                .containsExactly("blocker");
        assertThat(rules(new Cases().busy("Lock:relation", 6).blocker(prepared)))
                .containsExactly("blocker", "other");
    }

    /** A batch works in one transaction, and its statements take milliseconds. */
    @Test
    void waitsBehindABatchOfManyStatementsAreOfTheBatch() {
        Waits behind = new Waits("orders", 9);
        behind.holder = "4711";
        behind.holders = Map.of(Doing.IDLE_IN_TRANSACTION, 1.0);
        assertThat(rules(new Cases().table(behind).blocker(blocker(0.1, 9.9, 8))))
                .containsExactly("fewer-round-trips");
        assertThat(new Cases()
                        .table(behind)
                        .blocker(blocker(0.1, 18, 8))
                        .diagnose()
                        .advice())
                .extracting(Advice::subject, Advice::action)
                .containsExactly(tuple(
                        "session 4711 (nightly)",
                        "Let it finish, because it is at work, and split its work into shorter transactions."));
    }

    /** Only a vacuum to prevent wraparound blocks for long, and the server starts it again. */
    @Test
    void anAutovacuumIsNotCancelled() {
        Blocker vacuum = new Blocker(
                "4711",
                "",
                null,
                1,
                "relation",
                "orders",
                "4712",
                "alter table orders add note text",
                false,
                "active",
                20,
                20,
                "autovacuum: VACUUM shop.orders (to prevent wraparound)");
        assertThat(new Cases().blocker(vacuum).diagnose().advice())
                .singleElement()
                .satisfies(advice -> assertThat(advice.action())
                        .contains("Let this vacuum finish", "pg_cancel_backend(4712)")
                        .doesNotContain("4711"));
    }

    private static Blocker blocker(double seconds, double waiting) {
        return blocker(seconds, seconds, waiting);
    }

    private static Blocker blocker(double seconds, double blockedSeconds, double waiting) {
        return new Blocker(
                "4711",
                "",
                "nightly",
                waiting,
                "relation",
                "orders",
                "4712",
                null,
                false,
                "idle in transaction",
                seconds,
                blockedSeconds,
                "lock table orders");
    }

    @Test
    void aLongWayToTheRowIsAScanOnlyWhereThereIsOne() {
        String lock = "select * from orders where code = ? for update";
        assertThat(rules(new Cases().locking(lock, 60, 0.01, 500))).isEmpty();
        assertThat(rules(new Cases().locking(lock, 60, 0.01, 500).scanned("shop.orders", 999, 100)))
                .isEmpty();
        assertThat(rules(new Cases().locking(lock, 60, 0.01, 500).scanned("shop.orders", 1_000, 25)))
                .containsExactly("missing-index");
        assertThat(rules(new Cases()
                        .locking(lock, 60, 0.01, 500)
                        .locking("update orders set state = ? where code = ?", 60, 0.01, 500)
                        .scanned("shop.orders", 1_000, 100)))
                .containsExactly("missing-index");
        // With so few scans per call, the scans come from a report.
        assertThat(rules(new Cases().locking(lock, 60, 0.01, 500).scanned("shop.orders", 1_000, 24)))
                .isEmpty();
    }

    @Test
    void rollbacksAreAStormOnlyWhereTheyAreMany() {
        String nowait = "select * from orders where id = ? for update nowait";
        assertThat(rules(new Cases().rollbacks(9, nowait))).isEmpty();
        assertThat(rules(new Cases().rollbacks(124, nowait))).containsExactly("nowait-storm");
    }

    @Test
    void writersThatStarveBehindSharedLocksAreOfTheseLocks() {
        Waits starved = new Waits("item", 2);
        starved.holders = Map.of(Doing.IDLE_IN_TRANSACTION, 1.0);
        starved.holderStatement = "select * from item where id = ? for share";
        assertThat(rules(new Cases().table(starved).locking("select * from item where id = $1 for share", 180, 0.8, 1)))
                .containsExactly("share", "fewer-round-trips");
    }

    @Test
    void sharedLocksThatWriteAreToldByTheirStatement() {
        String share = "select * from item where id = ? for share";
        assertThat(new Cases().locking(share, 27_000, 0.78, 1).diagnose()).satisfies(diagnosis -> {
            assertThat(diagnosis.kind()).isEqualTo(Kind.OTHER);
            assertThat(diagnosis.verdict()).contains("Few sessions wait").contains("item");
            assertThat(diagnosis.advice()).singleElement().satisfies(advice -> {
                assertThat(advice.subject()).isEqualTo("item");
                assertThat(advice.figure()).contains("27 KB of WAL a call, 78 % of the server's");
            });
        });
        assertThat(rules(new Cases().locking(share, 27_000, 0.05, 1))).isEmpty();
        assertThat(rules(new Cases().locking(share, 27_000, 0.05, 1).multixactsPerSecond(150)))
                .containsExactly("share");
        assertThat(rules(new Cases().locking("select * from item for no key update", 27_000, 0.78, 1)))
                .isEmpty();
        assertThat(rules(new Cases().multixactsPerSecond(150))).containsExactly("multixacts");
    }

    @Test
    void aClaimThatWalksFarIsShortenedAndNotReplaced() {
        String claim = "select id from job for update skip locked";
        assertThat(rules(new Cases().locking(claim, 60, 0.2, 50))).containsExactly("claim");
        assertThat(rules(new Cases().locking(claim, 60, 0.2, 49))).isEmpty();
    }

    @Test
    void waitEventsSeenAFewTimesAreChance() {
        assertThat(rules(new Cases().busy("LWLock:MultiXactOffsetSLRU", 0.05))).isEmpty();
        assertThat(rules(new Cases().busy("LWLock:MultiXactOffsetSLRU", 0.5))).containsExactly("multixacts");
    }

    @Test
    void aHorizonIsOldByTime() {
        assertThat(rules(new Cases().horizon(session(10_000_000, 299.0)))).isEmpty();
        assertThat(rules(new Cases().horizon(session(100_000, 300.0)))).containsExactly("horizon");
        assertThat(rules(new Cases().horizon(session(99_999, 300.0))))
                .as("a snapshot that is younger than its transaction, at 1,200 xids a second")
                .isEmpty();
        assertThat(rules(new Cases().horizon(slot(359_999)))).isEmpty();
        assertThat(rules(new Cases().horizon(slot(360_000)))).containsExactly("horizon");
        assertThat(new Cases()
                        .standby()
                        .horizon(session(100_000, 300.0))
                        .diagnose()
                        .advice())
                .as("without hot_standby_feedback a query on a standby holds back nobody")
                .isEmpty();
    }

    @Test
    void otherWaitsAreShownWithTheirShare() {
        assertThat(rules(new Cases().busy("Lock:advisory", 1.9))).isEmpty();
        assertThat(rules(new Cases().busy("Lock:advisory", 2))).containsExactly("other");
        assertThat(rules(new Cases().busy(Wait.RUNNING, 30).busy("Lock:relation", 3)))
                .isEmpty();
        assertThat(rules(new Cases().table(new Waits("orders", 12)).busy("Lock:advisory", 5)))
                .containsExactly("convoy", "other");
        assertThat(rules(new Cases().table(new Waits("orders", 12)).busy("Lock:advisory", 20)))
                .containsExactly("other", "convoy");
    }

    @Test
    void onlyASessionThatIsIdleIsToBeEnded() {
        assertThat(action(300.0)).contains("pg_terminate_backend(4711)");
        assertThat(action(299.0)).contains("Let it finish").doesNotContain("pg_terminate_backend");
        assertThat(action(null)).contains("Let it finish").doesNotContain("pg_terminate_backend");
    }

    private static String action(Double idleSeconds) {
        HorizonHolder holder = new HorizonHolder("session", "4711", "app", null, 100_000, 3_600.0, idleSeconds);
        return new Cases().horizon(holder).diagnose().advice().get(0).action();
    }

    @Test
    void bloatIsVacuumsUnlessSomebodyHoldsItBack() {
        assertThat(rules(new Cases().updated("orders", 90_000, null))).containsExactly("vacuum");
        assertThat(rules(new Cases().updated("orders", 90_000, null).horizon(session(100_000, 300.0))))
                .containsExactly("horizon");
        assertThat(rules(new Cases().updated("orders", 90_000, 20.0))).isEmpty();
        assertThat(rules(new Cases()
                        .horizon(session(100_000, 300.0))
                        .table(new Waits("orders", 3))
                        .blocker(blocker(300, 3))))
                .doesNotContain("horizon");
        // The vacuum ran beside the holder of the horizon, and the dead rows are still there.
        assertThat(rules(new Cases().updated("orders", 90_000, 20.0).horizon(session(9_000, 60.0))))
                .containsExactly("horizon");
        assertThat(rules(new Cases().updated("orders", 90_000, 20.0).horizon(session(9_000, 19.0))))
                .isEmpty();
    }

    @Test
    void howMuchIsHurtIsAShareOfBusyTime() {
        assertThat(kind(new Cases().table(new Waits("orders", 3)))).isEqualTo(Kind.HURT);
        assertThat(kind(new Cases().busy("running", 30).table(new Waits("orders", 3))))
                .isEqualTo(Kind.FELT);
        assertThat(kind(new Cases().busy("running", 200).table(new Waits("orders", 3))))
                .isEqualTo(Kind.HEALTHY);
        assertThat(kind(new Cases().busy("running", 200).hidden().table(new Waits("orders", 3))))
                .as("where busy sessions are hidden, waiters must do")
                .isEqualTo(Kind.HURT);
        assertThat(kind(new Cases().busy("running", 0.1).transactionsPerSecond(2)))
                .isEqualTo(Kind.IDLE);
        assertThat(kind(new Cases().busy("running", 0.1).transactionsPerSecond(25_000)))
                .as("short transactions are not seen at work")
                .isEqualTo(Kind.HEALTHY);
        assertThat(kind(new Cases().standby())).isEqualTo(Kind.STANDBY);
    }

    private static HorizonHolder session(long xids, Double seconds) {
        return new HorizonHolder("session", "4711", "app, idle in transaction", null, xids, seconds, seconds);
    }

    private static HorizonHolder slot(long xids) {
        return new HorizonHolder("replication slot", "its_slot", "not in use", null, xids, null, null);
    }

    private static Map<Doing, Double> shares(Doing most, double share, Doing other, double rest) {
        Map<Doing, Double> shares = new java.util.LinkedHashMap<>();
        shares.put(most, share);
        shares.put(other, rest);
        return shares;
    }

    private static String firstReason(Waits table) {
        return new Cases().table(table).diagnose().advice().get(0).reason();
    }

    private static List<String> rules(Cases seen) {
        return seen.diagnose().advice().stream().map(Advice::rule).toList();
    }

    private static Kind kind(Cases seen) {
        return seen.diagnose().kind();
    }
}
