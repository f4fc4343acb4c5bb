package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.RowWait.HolderState;

/** What sessions wait for, and at which tables. */
final class WaitFindings {
    private static final int MOST_EVENTS = 8;

    /** Of busy time. */
    private static final double LEAST_EVENT = 0.002;

    private static final int MOST_TABLES = 8;
    private static final int MOST_STATEMENTS = 3;
    private static final int MOST_ROWS = 3;

    private WaitFindings() {}

    /** By wait event. */
    static Section events(Examination seen) {
        Samples samples = seen.samples();
        double busy = samples.busySessions();
        List<Finding> findings = new ArrayList<>();
        List<String> shown = samples.events().stream()
                .filter(event -> samples.sessions(event) / busy >= LEAST_EVENT)
                .limit(MOST_EVENTS)
                .toList();
        for (String event : shown) {
            double share = samples.sessions(event) / busy;
            findings.add(Finding.of(
                    isOurs(event) && share >= Thresholds.HURT_SHARE,
                    Figures.percent(share),
                    event.equals(Activity.RUNNING)
                            ? WaitEvents.meaning(event)
                            : event + (WaitEvents.meaning(event).isEmpty() ? "" : ": " + WaitEvents.meaning(event))));
        }
        double rest = samples.events().stream()
                .filter(event -> !shown.contains(event))
                .mapToDouble(samples::sessions)
                .sum();
        if (rest > 0) {
            findings.add(Finding.of(false, Figures.percent(rest / busy), "other wait events"));
        }
        if (findings.isEmpty()) {
            findings.add(
                    samples.hiddenSessions() > 0
                            ? Finding.of(false, "?", "Not visible to this role.")
                            : Finding.of(false, "0", "No session had a statement running at any of the samples."));
        }
        return new Section(
                "What busy sessions did (share of their time; " + Figures.sessions(busy) + " at a time"
                        + (samples.hiddenSessions() > 0 ? " that this role can see" : "") + ")",
                findings);
    }

    private static boolean isOurs(String event) {
        return event.equals("Lock:tuple")
                || event.equals("Lock:transactionid")
                || event.startsWith(WaitEvents.MULTIXACT);
    }

    /** By table; and what is known of waits at no table of ours. */
    static Section tables(Examination seen) {
        Samples samples = seen.samples();
        List<Finding> findings = new ArrayList<>();
        samples.tables().stream().limit(MOST_TABLES).forEach(table -> findings.add(table(seen, table)));
        for (String database : samples.otherDatabases()) {
            findings.add(Finding.of(
                    samples.rowWaitsIn(database) >= Thresholds.HURT_SESSIONS,
                    Figures.sessions(samples.rowWaitsIn(database)),
                    "sessions wait for rows in the database " + database
                            + ", whose tables cannot be named from here: run the doctor there"));
        }
        if (samples.unnamedRowWaits() > 0) {
            findings.add(Finding.of(
                    false,
                    Figures.sessions(samples.unnamedRowWaits()),
                    "sessions wait for a transaction at rows that the server does not name"));
        }
        if (samples.uniqueKeyWaits() > 0) {
            findings.add(Finding.of(
                    false,
                    Figures.sessions(samples.uniqueKeyWaits()),
                    "sessions insert a unique key that another transaction has just inserted; no row lock"));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.of(false, "0", "Nobody waited for a row at any of the samples."));
        }
        return new Section("Whose rows they wait for (sessions at a time)", findings);
    }

    private static Finding table(Examination seen, TableWaits table) {
        Samples samples = seen.samples();
        Finding finding = Finding.of(
                        WaitVerdict.matters(seen, table),
                        Figures.sessions(samples.rowWaits(table)),
                        table.table() + ": " + Figures.percent(samples.shareOfRowWaits(table))
                                + " of all row lock waits")
                .with(
                        "at one row",
                        Figures.sessions(table.contenders()) + " contenders on average, the holder included; "
                                + table.mostContenders() + " at most; longest wait "
                                + Figures.duration(table.longestWait()));
        finding = finding.with("who waits", causes(table) + modes(table));
        List<String> keys = table.hotRows().ranking();
        if (!keys.isEmpty()) {
            finding = finding.with(
                    "hottest rows",
                    String.join(
                            "; ",
                            keys.stream()
                                    .limit(MOST_ROWS)
                                    .map(key -> key + " ("
                                            + Figures.percent(
                                                    (double) table.hotRows().of(key) / table.samplesWithWaits())
                                            + ")")
                                    .toList()));
        }
        if (table.holders().total() > 0) {
            finding = finding.with(
                    "holder",
                    holder(table) + "; the first in line had waited " + Figures.duration(table.firstInLineWait())
                            + " on average");
        }
        for (String statement : table.statements().ranking(Thresholds.NOISE).stream()
                .limit(MOST_STATEMENTS)
                .toList()) {
            finding = finding.with(
                    "statement",
                    Figures.percent(table.statements().share(statement)) + ": " + Figures.statement(statement));
        }
        return finding;
    }

    private static String causes(TableWaits table) {
        List<String> parts = new ArrayList<>();
        for (Cause cause : table.causes().ranking(Thresholds.NOISE)) {
            parts.add(cause.title() + " " + Figures.percent(table.causes().share(cause)));
        }
        return String.join(", ", parts);
    }

    private static String modes(TableWaits table) {
        List<String> parts = new ArrayList<>();
        for (RowLockMode mode : table.modes().ranking(Thresholds.NOISE)) {
            parts.add(mode.name().replace('_', ' ') + " "
                    + Figures.percent(table.modes().share(mode)));
        }
        return parts.isEmpty() ? "" : "; they want it " + String.join(", ", parts);
    }

    private static String holder(TableWaits table) {
        List<String> parts = new ArrayList<>();
        for (HolderState state : table.holders().ranking(Thresholds.NOISE)) {
            parts.add(state.title() + " " + Figures.percent(table.holders().share(state))
                    + (state == HolderState.IDLE_IN_TRANSACTION
                            ? " (for " + Figures.duration(table.heldIdle()) + " on average)"
                            : ""));
        }
        return String.join(", ", parts);
    }
}
