package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.LockTable;
import org.rowlock.doctor.Seen.Server;
import org.rowlock.doctor.Seen.TableUse;
import org.rowlock.doctor.Table.Of;
import org.rowlock.doctor.Wait.Doing;

/** Builds observations for the tests of the rules and the screen. */
final class Cases {
    private final Map<String, Double> busy = new LinkedHashMap<>(Map.of(Wait.RUNNING, 4.0));
    private final List<Table> tables = new ArrayList<>();
    private final List<LockingStatement> locking = new ArrayList<>();
    private final List<TableUse> used = new ArrayList<>();
    private final List<HorizonHolder> horizon = new ArrayList<>();
    private double multixactsPerSecond;
    private double transactionsPerSecond = 1_234.5;
    private double hidden;
    private final Map<String, Double> sessions = new LinkedHashMap<>();
    private final List<Blocker> blockers = new ArrayList<>();
    private String nowait;
    private double rollbacksPerSecond;
    private boolean standby;
    private LockTable lockTable;
    private long kept;

    /**
     * A table with waits for its rows. By default the waiting sessions run locking statements, and the holder is
     * running a statement.
     */
    static final class Waits {
        private final String name;
        private final double contenders;
        double firstWaitMillis = 5;
        double idleMillis;
        String holder = "4713";
        StatementKind cause = StatementKind.LOCKING;
        RowLockMode mode = RowLockMode.FOR_UPDATE;
        Map<Doing, Double> holders = Map.of(Doing.RUNNING, 1.0);
        String holderEvent = Wait.RUNNING;
        String holderStatement = "commit";
        String statement = "select * from orders where id = ? for update";

        Waits(String name, double contenders) {
            this.name = name;
            this.contenders = contenders;
        }

        Table table() {
            return new Table(
                    name,
                    contenders - 1,
                    1,
                    1,
                    contenders,
                    (int) contenders,
                    2 * firstWaitMillis,
                    firstWaitMillis,
                    100,
                    idleMillis,
                    0,
                    Map.of(
                            Of.CAUSE, Map.of(cause, 1.0),
                            Of.MODE, Map.of(mode, 1.0),
                            Of.STATEMENT, Map.of(statement, 1.0),
                            Of.HOLDER, new LinkedHashMap<>(holders),
                            Of.HOLDER_SESSION, Map.of(holder, 1.0),
                            Of.HOLDER_EVENT, Map.of(holderEvent, 1.0),
                            Of.HOLDER_STATEMENT, Map.of(holderStatement, 1.0)));
        }
    }

    Cases blocker(Blocker blocker) {
        blockers.add(blocker);
        return this;
    }

    Cases scanned(String table, long rows, long times) {
        used.add(new TableUse(table, 0, 100, 0, times, times * rows, false, null));
        return this;
    }

    Cases rollbacks(double rate, String nowaitStatement) {
        rollbacksPerSecond = rate;
        nowait = nowaitStatement;
        return this;
    }

    Cases table(Waits waits) {
        Table table = waits.table();
        tables.add(table);
        busy.merge("Lock:tuple", table.waiting(), Double::sum);
        return this;
    }

    Cases busy(String event, double sessions) {
        busy.put(event, sessions);
        return this;
    }

    Cases transactionsPerSecond(double rate) {
        transactionsPerSecond = rate;
        return this;
    }

    Cases multixactsPerSecond(double rate) {
        multixactsPerSecond = rate;
        return this;
    }

    Cases locking(String sql, double walPerCall, double walShare, long blocksPerRow) {
        long calls = 100;
        locking.add(new LockingStatement(
                sql, calls, 5 * calls, 1, calls, walPerCall * calls, walShare, blocksPerRow * calls));
        return this;
    }

    Cases horizon(HorizonHolder holder) {
        horizon.add(holder);
        return this;
    }

    Cases updated(String table, long dead, Double vacuumedSeconds) {
        used.add(new TableUse(table, 10_000, 100, dead, 0, 0, false, vacuumedSeconds));
        return this;
    }

    Cases lockTable(double share) {
        lockTable = new LockTable(
                (long) (share * 6_400), 1_000, "4711 (batch)", "select lock_all()", kept, 1, kept > 0 ? "4712" : null);
        return this;
    }

    /** Adds advisory locks that an idle session keeps. */
    Cases kept(long locks) {
        kept = locks;
        return lockTable(0.1);
    }

    Cases aborted(String... more) {
        sessions.put("aborted", 1.0);
        for (String kind : more) {
            sessions.put(kind, 1.0);
        }
        return this;
    }

    Cases connections(double all) {
        sessions.putAll(Map.of("connections", all, "idle", 40.0));
        return this;
    }

    Cases hidden() {
        hidden = 3;
        return this;
    }

    Cases standby() {
        standby = true;
        return this;
    }

    Diagnosis diagnose() {
        Map<String, Double> perSecond = new LinkedHashMap<>();
        perSecond.put("transactions", transactionsPerSecond);
        perSecond.put("wal_bytes", 654_321.0);
        perSecond.put("rollbacks", rollbacksPerSecond);
        perSecond.put("xids", 1_200.0);
        perSecond.put("multixacts", multixactsPerSecond);
        double rowWaits = tables.stream().mapToDouble(Table::waiting).sum();
        sessions.putAll(Map.of("idle in transaction", 2.0, "hidden", hidden, "row waits", rowWaits));
        return Diagnosis.of(new Seen(
                new Server("db:5432/shop", "18.6", "shop", "me", standby, false, false, 6_400, 97),
                "2026-01-01T00:00:00Z",
                20,
                190,
                0.5,
                busy,
                sessions,
                tables,
                locking,
                used,
                perSecond,
                0,
                lockTable,
                horizon,
                Map.of(),
                List.copyOf(blockers),
                nowait,
                List.of(new Unseen("pools", "the server does not know of them", "Look at their metrics."))));
    }
}
