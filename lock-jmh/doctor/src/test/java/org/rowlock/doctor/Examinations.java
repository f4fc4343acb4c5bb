package org.rowlock.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.LockingStatements.LockingStatement;
import org.rowlock.doctor.RowWait.Holder;
import org.rowlock.doctor.RowWait.HolderState;
import org.rowlock.doctor.RowWait.Row;

/** Examinations without a server: ten equal samples, and what a test puts beside them. */
final class Examinations {
    static final String LOCK = "select * from orders where id = $1 for update";
    private static final int SAMPLES = 10;

    private final Map<String, Integer> busy = new HashMap<>();
    private final List<RowWait> waits = new ArrayList<>();
    private final List<LockingStatement> statements = new ArrayList<>();
    private final List<HorizonHolder> horizon = new ArrayList<>();
    private final List<TableUpdates> updates = new ArrayList<>();
    private int hidden;
    private Duration firstWait = Duration.ofMillis(1);
    private int lockEntries = 10;
    private long multixacts;
    private long deadlocks;
    private boolean inRecovery;

    Examinations busy(String event, int sessions) {
        busy.merge(event, sessions, Integer::sum);
        return this;
    }

    /** A queue at one row of a table, with its first waiter waiting for a holder. */
    Examinations queue(String table, int waiters, RowLockMode mode, String statement, Holder holder) {
        Row row = new Row(table.hashCode(), table, 0, 1);
        for (int i = 0; i < waiters; i++) {
            boolean first = i == 0;
            waits.add(new RowWait(
                    "shop",
                    row,
                    first ? "100" : null,
                    mode,
                    statement,
                    firstWait.plusMillis(i),
                    first ? holder : null));
            if (statement != null) {
                busy(first ? "Lock:transactionid" : "Lock:tuple", 1);
            }
        }
        return this;
    }

    Examinations queue(String table, int waiters) {
        return queue(table, waiters, RowLockMode.FOR_UPDATE, LOCK, running());
    }

    Examinations waits(RowWait... more) {
        waits.addAll(List.of(more));
        return this;
    }

    /** How long waiters of the queues that follow have waited. */
    Examinations waiting(Duration time) {
        firstWait = time;
        return this;
    }

    Examinations hidden(int sessions) {
        hidden = sessions;
        return this;
    }

    Examinations lockEntries(int entries) {
        lockEntries = entries;
        return this;
    }

    Examinations multixactsPerSecond(long count) {
        multixacts = count;
        return this;
    }

    Examinations deadlocks(long count) {
        deadlocks = count;
        return this;
    }

    Examinations standby() {
        inRecovery = true;
        return this;
    }

    Examinations statement(String sql, long callsMeanwhile) {
        statements.add(new LockingStatement(sql, 1_000, callsMeanwhile, 50_000, 0.02, 50_000, 56_000_000));
        return this;
    }

    Examinations horizon(HorizonHolder holder) {
        horizon.add(holder);
        return this;
    }

    Examinations updates(TableUpdates table) {
        updates.add(table);
        return this;
    }

    static Holder running() {
        return new Holder(HolderState.RUNNING, Duration.ofMillis(1));
    }

    static Holder idleFor(Duration time) {
        return new Holder(HolderState.IDLE_IN_TRANSACTION, time);
    }

    Examination build() {
        Samples samples = new Samples();
        Sample sample = new Sample(new Activity(busy, 0, hidden), new LockTable(lockEntries, waits));
        for (int i = 0; i < SAMPLES; i++) {
            samples.add(sample, Optional.of("id=42"));
        }
        samples.took(Duration.ofSeconds(1));
        return new Examination(
                "db:5432/shop",
                Instant.parse("2026-01-01T12:00:00Z"),
                new Server(
                        "18.6",
                        "shop",
                        "app",
                        hidden == 0,
                        false,
                        inRecovery,
                        1,
                        Map.of(
                                "max_connections", "100",
                                "max_prepared_transactions", "0",
                                "max_locks_per_transaction", "64",
                                "autovacuum_freeze_max_age", "200000000",
                                "autovacuum_multixact_freeze_max_age", "400000000",
                                "hot_standby_feedback", "on")),
                samples,
                Optional.of(new Counters.Growth(Duration.ofSeconds(1), 100, multixacts, 100, deadlocks, 0, 0)),
                Optional.of(new Ages(1_000, "shop", 2_000, "shop")),
                Optional.empty(),
                Optional.of(new LockingStatements(null, 100_000, 0, statements)),
                updates,
                horizon,
                Optional.empty(),
                false,
                List.of(new Unseen("Pools", "not seen.", "Look there.")));
    }

    Judgement diagnose() {
        return Judgement.of(build());
    }
}
