package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Examinations.idleFor;
import static org.rowlock.doctor.Examinations.running;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.RowWait.Holder;
import org.rowlock.doctor.RowWait.HolderState;
import org.rowlock.doctor.RowWait.Row;
import org.rowlock.doctor.Verdict.Kind;

/** What is concluded from what, at the thresholds. */
class JudgementTest {
    @Test
    void halfTheBusyTimeInAConvoyHurtsAndTheTableGoesToBoth() {
        Judgement diagnosis = new Examinations()
                .queue("orders", 30)
                .busy(Activity.RUNNING, 30)
                .diagnose();
        assertThat(diagnosis.verdict().kind()).isEqualTo(Kind.HURT);
        assertThat(diagnosis.verdict().text())
                .contains("of 60.0 busy sessions")
                .contains("30.0")
                .contains("50 %");
        assertThat(of(diagnosis, "orders")).singleElement().satisfies(advice -> {
            assertThat(advice.action()).startsWith("BOTH first");
            assertThat(advice.reason()).contains("31.0 want one row").contains("50 % of the busy time");
        });
        assertThat(of(diagnosis, "before a migration")).hasSize(1);
    }

    @Test
    void nobodyWaitingChangesNothing() {
        Judgement diagnosis = new Examinations().busy(Activity.RUNNING, 8).diagnose();
        assertThat(diagnosis.verdict().kind()).isEqualTo(Kind.NONE);
        assertThat(diagnosis.verdict().text()).contains("nothing should change").doesNotContain("idle");
        assertThat(diagnosis.recommendations()).extracting(Advice::action).containsExactly("Change nothing.");
    }

    @Test
    void anIdleServerIsNoEvidence() {
        Judgement diagnosis = new Examinations().diagnose();
        assertThat(diagnosis.verdict().text()).contains("all but idle");
        assertThat(diagnosis.recommendations())
                .extracting(Advice::action)
                .containsExactly("Look again when the server is busy.");
    }

    @Test
    void whatNeedsNoMigrationNeedsNoMeasurement() {
        assertThat(of(new Examinations().queue("orders", 5).diagnose(), "before a migration"))
                .isEmpty();
    }

    @Test
    void aFewWaitersAmongManyBusyAreFeltAndNoMore() {
        Judgement diagnosis =
                new Examinations().queue("orders", 3).busy(Activity.RUNNING, 97).diagnose();
        assertThat(diagnosis.verdict().kind()).isEqualTo(Kind.FELT);
        assertThat(of(diagnosis, "orders"))
                .singleElement()
                .satisfies(advice -> assertThat(advice.action()).startsWith("Stay with row locks"));
    }

    @Test
    void onlyFromTenContendersOnAnAdvisoryLockGoesInFront() {
        assertThat(actions(new Examinations().queue("orders", 8).diagnose(), "orders"))
                .singleElement()
                .asString()
                .startsWith("Stay with row locks");
        assertThat(actions(new Examinations().queue("orders", 9).diagnose(), "orders"))
                .singleElement()
                .asString()
                .startsWith("BOTH first");
    }

    @Test
    void aLockHeldByAnIdleApplicationIsNotAMatterOfStrategy() {
        Judgement diagnosis = new Examinations()
                .waiting(Duration.ofSeconds(3))
                .queue("orders", 30, RowLockMode.FOR_UPDATE, Examinations.LOCK, idleFor(Duration.ofSeconds(3)))
                .diagnose();
        assertThat(actions(diagnosis, "orders"))
                .containsExactly(
                        "Hold its row locks for less time.",
                        "An admission queue per key (ROW with admission); no change of strategy.");
    }

    @Test
    void aLongHoldIsSeenThoughTheHolderIsNot() {
        Judgement diagnosis = new Examinations()
                .hidden(40)
                .waiting(Thresholds.LONG_HOLD)
                .queue("orders", 30, RowLockMode.FOR_UPDATE, null, new Holder(HolderState.HIDDEN, null))
                .diagnose();
        assertThat(actions(diagnosis, "orders"))
                .containsExactly(
                        "Find out what its holders do, and hold its row locks for less time.",
                        "An admission queue per key (ROW with admission); no change of strategy.");
    }

    @Test
    void aShortIdleHoldIsStillAConvoy() {
        Judgement diagnosis = new Examinations()
                .queue("orders", 30, RowLockMode.FOR_UPDATE, Examinations.LOCK, idleFor(Duration.ofMillis(2)))
                .diagnose();
        assertThat(actions(diagnosis, "orders"))
                .hasSize(2)
                .contains("Hold its row locks for less time.")
                .anyMatch(action -> action.startsWith("BOTH first"));
    }

    @Test
    void foreignKeyChecksNeedAWeakerLockAndNoMigration() {
        Judgement diagnosis = new Examinations()
                .queue("orders", 20, RowLockMode.FOR_KEY_SHARE, "insert into line values ($1)", running())
                .diagnose();
        assertThat(actions(diagnosis, "orders")).singleElement().asString().contains("FOR NO KEY UPDATE");
    }

    @Test
    void plainWritersKeepATableAtBoth() {
        Judgement diagnosis = new Examinations()
                .queue("orders", 15)
                .queue("orders", 5, RowLockMode.FOR_NO_KEY_UPDATE, "update orders set a = $1", running())
                .diagnose();
        assertThat(of(diagnosis, "orders"))
                .singleElement()
                .satisfies(advice -> assertThat(advice.reason())
                        .contains("25 % of those who wait are plain writes")
                        .contains("Stay with BOTH"));
    }

    @Test
    void aTableOfWritersLocksBeforeItWrites() {
        Judgement diagnosis = new Examinations()
                .queue("orders", 20, RowLockMode.FOR_NO_KEY_UPDATE, "update orders set a = $1", running())
                .diagnose();
        assertThat(actions(diagnosis, "orders")).singleElement().asString().contains("right before the UPDATE");
    }

    @Test
    void tablesComeInTheOrderOfTheirWaitsAndSmallOnesNotAtAll() {
        Judgement diagnosis = new Examinations()
                .queue("few", 1)
                .queue("some", 12)
                .queue("most", 60)
                .diagnose();
        assertThat(diagnosis.recommendations())
                .extracting(Advice::subject)
                .containsExactly("most", "some", "before a migration");
    }

    @Test
    void multixactsAreFeltThoughNobodyWaitsAndTheStatementIsNamed() {
        Judgement diagnosis = new Examinations()
                .busy(Activity.RUNNING, 4)
                .multixactsPerSecond(1_335)
                .statement("select * from orders where id < $1 for share", 100)
                .diagnose();
        assertThat(diagnosis.verdict().kind()).isEqualTo(Kind.FELT);
        assertThat(diagnosis.verdict().text()).contains("1,335 MultiXacts were made a second");
        assertThat(of(diagnosis, "MultiXacts")).singleElement().satisfies(advice -> {
            assertThat(advice.action()).contains("select * from orders where id < $1 for share");
            assertThat(advice.reason()).contains("56 KB");
        });
    }

    @Test
    void multixactsWithoutASharingStatementAreNotBlamedOnOne() {
        Judgement diagnosis = new Examinations()
                .busy(Activity.RUNNING, 4)
                .multixactsPerSecond(1_335)
                .statement("select * from orders where id < $1 for share", 0)
                .statement("SELECT 1 FROM ONLY \"public\".\"orders\" x WHERE \"id\" = $1 FOR KEY SHARE OF x", 900)
                .diagnose();
        assertThat(actions(diagnosis, "MultiXacts")).singleElement().asString().startsWith("Find out");
    }

    @Test
    void waitsInMultixactsHurtAsWaitsForRowsDo() {
        Judgement diagnosis = new Examinations()
                .busy("LWLock:MultiXactOffsetSLRU", 2)
                .busy(Activity.RUNNING, 10)
                .diagnose();
        assertThat(diagnosis.verdict().kind()).isEqualTo(Kind.HURT);
    }

    @Test
    void whatCannotBeCountedIsJudgedByTheWaitersAlone() {
        Judgement diagnosis = new Examinations()
                .hidden(20)
                .queue("orders", 12, RowLockMode.FOR_UPDATE, null, running())
                .diagnose();
        assertThat(diagnosis.verdict().kind()).isEqualTo(Kind.HURT);
        assertThat(diagnosis.verdict().text()).contains("12.0 sessions").doesNotContain("%");
    }

    @Test
    void whoeverHoldsTheHorizonLongIsFirst() {
        HorizonHolder report = new HorizonHolder(
                HorizonHolder.Kind.SESSION, "4711", "bi", "report", "active", "select ?", 9, Duration.ofMinutes(50));
        Judgement diagnosis =
                new Examinations().queue("orders", 30).horizon(report).diagnose();
        assertThat(diagnosis.recommendations()).first().satisfies(advice -> {
            assertThat(advice.subject()).isEqualTo("vacuum horizon");
            assertThat(advice.action()).contains("pg_terminate_backend(4711)");
            assertThat(advice.reason()).contains("50 min");
        });
        HorizonHolder young = new HorizonHolder(
                HorizonHolder.Kind.SESSION, "4711", "bi", "report", "active", "select ?", 9, Duration.ofSeconds(50));
        assertThat(of(new Examinations().horizon(young).diagnose(), "vacuum horizon"))
                .isEmpty();
    }

    @Test
    void aSlotIsJudgedByItsXids() {
        HorizonHolder slot = new HorizonHolder(
                HorizonHolder.Kind.SLOT, "old_replica", null, null, "not in use", null, 5_000_000, null);
        assertThat(actions(new Examinations().horizon(slot).diagnose(), "vacuum horizon"))
                .singleElement()
                .asString()
                .contains("pg_drop_replication_slot('old_replica')");
    }

    @Test
    void deadRowsThatVacuumCouldRemoveAreAMatterOfAutovacuum() {
        Judgement diagnosis = new Examinations()
                .updates(new TableUpdates("orders", 100, 90, 1_000, 50_000, Duration.ofHours(3)))
                .diagnose();
        assertThat(actions(diagnosis, "orders")).singleElement().asString().contains("autovacuum");
        assertThat(diagnosis.recommendations())
                .filteredOn(advice -> advice.subject().equals("orders"))
                .singleElement()
                .satisfies(advice -> assertThat(advice.reason()).contains("nobody holds vacuum back"));
        assertThat(new Examinations()
                        .updates(new TableUpdates("orders", 100, 90, 1_000, 50_000, Duration.ofMinutes(1)))
                        .diagnose()
                        .recommendations())
                .noneMatch(advice -> advice.subject().equals("orders"));
    }

    @Test
    void whoHoldsVacuumBackForAWhileIsNotPassedOver() {
        HorizonHolder young = new HorizonHolder(
                HorizonHolder.Kind.SESSION, "4711", "bi", "report", "active", "select ?", 9, Duration.ofSeconds(50));
        assertThat(new Examinations()
                        .updates(new TableUpdates("orders", 100, 90, 1_000, 50_000, Duration.ofHours(3)))
                        .horizon(young)
                        .diagnose()
                        .recommendations())
                .filteredOn(advice -> advice.subject().equals("orders"))
                .singleElement()
                .satisfies(advice -> assertThat(advice.reason())
                        .contains("the oldest that holds vacuum back does so for 50 s only")
                        .doesNotContain("nobody"));
    }

    @Test
    void aFullLockTableComesBeforeAdvisoryLocks() {
        assertThat(actions(new Examinations().lockEntries(3_200).diagnose(), "lock table"))
                .singleElement()
                .asString()
                .contains("max_locks_per_transaction (now 64");
        assertThat(of(new Examinations().lockEntries(3_199).diagnose(), "lock table"))
                .isEmpty();
    }

    @Test
    void lockManagerWaitsWarnUnlessAConvoyMakesThem() {
        assertThat(of(
                        new Examinations()
                                .busy(WaitEvents.LOCK_MANAGER, 5)
                                .busy(Activity.RUNNING, 5)
                                .diagnose(),
                        "lock table"))
                .hasSize(1);
        assertThat(of(
                        new Examinations()
                                .queue("orders", 50)
                                .busy(WaitEvents.LOCK_MANAGER, 5)
                                .diagnose(),
                        "lock table"))
                .isEmpty();
    }

    @Test
    void deadlocksAskForAnOrder() {
        assertThat(actions(new Examinations().deadlocks(2).diagnose(), "deadlocks"))
                .singleElement()
                .asString()
                .contains("lockAll");
    }

    @Test
    void waitsBehindAnUpdatedRowCountWhereTheirTransactionIsKnown() {
        // As in a convoy right after an update: many wait for the xid without naming the row, one names it.
        RowWait named = wait(new Row(1, "orders", 0, 1), "100", Examinations.LOCK);
        RowWait unnamed = wait(null, "100", Examinations.LOCK);
        Examination seen = new Examinations().waits(named, unnamed, unnamed).build();
        assertThat(seen.samples().tables()).singleElement().satisfies(table -> {
            assertThat(table.sessions()).isEqualTo(30);
            assertThat(table.mostContenders()).isEqualTo(4);
        });
        assertThat(seen.samples().unnamedRowWaits()).isZero();
    }

    @Test
    void waitsOfAStatementWhoseTableIsKnownCountThere() {
        RowWait named = wait(new Row(1, "orders", 0, 1), "100", Examinations.LOCK);
        RowWait elsewhere = wait(null, "200", Examinations.LOCK);
        Examination seen = new Examinations().waits(named, elsewhere).build();
        assertThat(seen.samples().tables())
                .singleElement()
                .satisfies(table -> assertThat(table.sessions()).isEqualTo(20));
    }

    @Test
    void otherDatabasesAreNamed() {
        RowWait other = new RowWait(
                "billing", new Row(1, null, 0, 1), null, RowLockMode.FOR_UPDATE, "select", Duration.ZERO, null);
        Examination seen = new Examinations().waits(other).busy("Lock:tuple", 1).build();
        Judgement diagnosis = Judgement.of(seen);
        assertThat(TextReport.of(seen, diagnosis)).contains("in the database billing");
        assertThat(actions(diagnosis, "database billing"))
                .singleElement()
                .asString()
                .startsWith("Run the doctor there");
    }

    private static RowWait wait(Row row, String transaction, String statement) {
        return new RowWait(
                "shop",
                row,
                transaction,
                row == null ? null : RowLockMode.FOR_UPDATE,
                statement,
                Duration.ZERO,
                running());
    }

    private static List<Advice> of(Judgement diagnosis, String subject) {
        return diagnosis.recommendations().stream()
                .filter(advice -> advice.subject().equals(subject))
                .toList();
    }

    private static List<String> actions(Judgement diagnosis, String subject) {
        return of(diagnosis, subject).stream().map(Advice::action).toList();
    }
}
