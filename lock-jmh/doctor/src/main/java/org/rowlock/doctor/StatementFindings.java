package org.rowlock.doctor;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.doctor.LockingStatements.LockingStatement;

/** Statements that lock rows, and the tables that are updated. */
final class StatementFindings {
    private static final int MOST = 6;
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    private StatementFindings() {}

    static Section locking(LockingStatements seen) {
        List<Finding> findings = new ArrayList<>();
        for (LockingStatement statement : seen.statements().stream().limit(MOST).toList()) {
            double share = statement.millis() / Math.max(seen.totalMillis(), 1e-9);
            Finding finding = Finding.of(false, Figures.percent(share), Figures.statement(statement.sql()))
                    .with(
                            "each call",
                            "mean " + Figures.millis(statement.meanMillis()) + ", least "
                                    + Figures.millis(statement.leastMillis()) + ", "
                                    + Figures.number((double) statement.rows() / statement.calls()) + " rows, "
                                    + Figures.bytes(statement.walBytes() / statement.calls()) + " WAL; "
                                    + Figures.count(statement.calls()) + " calls, "
                                    + Figures.count(statement.callsMeanwhile())
                                    + " while looking");
            findings.add(note(finding, statement));
        }
        if (seen.statements().size() > MOST) {
            findings.add(Finding.of(
                    false, "", (seen.statements().size() - MOST) + " more statements lock rows and take less time."));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.of(
                    false,
                    seen.hidden() > 0 ? "?" : "0",
                    "No statement with FOR UPDATE, FOR SHARE or the like is "
                            + (seen.hidden() > 0 ? "visible to this role." : "known.")));
        }
        return new Section(
                "Statements that lock rows (share of all statement time"
                        + (seen.since() == null ? "" : " since " + MINUTE.format(seen.since())) + ")",
                findings);
    }

    private static Finding note(Finding finding, LockingStatement statement) {
        if (statement.isForeignKeyCheck()) {
            return finding.with("note", "The server's own check of a foreign key; no strategy replaces it.");
        }
        if (statement.skipsLocked()) {
            return finding.with("note", "Passes locked rows and never waits; the claim of Rowlock is its counterpart.");
        }
        return finding;
    }

    static Section updates(Examination seen) {
        List<Finding> findings = new ArrayList<>();
        double seconds = Math.max(1e-3, seen.samples().took().toMillis() / 1e3);
        for (TableUpdates table : seen.updates().stream().limit(MOST).toList()) {
            findings.add(Finding.of(
                    isBloated(table),
                    Figures.rate(table.updates() / seconds),
                    table.table() + ": " + Figures.percent(table.hotShare()) + " HOT; " + Figures.count(table.dead())
                            + " dead rows, " + Figures.count(table.live()) + " live; "
                            + (table.sinceVacuum() == null
                                    ? "never vacuumed"
                                    : "vacuumed " + Figures.duration(table.sinceVacuum()) + " ago")));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.of(false, "0/s", "No table was updated meanwhile."));
        }
        return new Section("Tables that are updated (updates a second, while looking)", findings);
    }

    /** Whether vacuum has not kept up; right before it comes any hot table looks like this. */
    static boolean isBloated(TableUpdates table) {
        return table.dead() >= Thresholds.DEAD_ROWS
                && table.deadPerLive() >= Thresholds.DEAD_PER_LIVE
                && (table.sinceVacuum() == null || table.sinceVacuum().compareTo(Thresholds.OLD_HORIZON) >= 0);
    }
}
