package org.rowlock.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What row locks leave behind in the server, and whether there is room for what would replace them. */
final class ServerFindings {
    private ServerFindings() {}

    static Section counters(Examination seen) {
        List<Finding> findings = new ArrayList<>();
        seen.growth().ifPresent(growth -> {
            double rate = growth.perSecond(growth.multixacts());
            Finding made = Finding.of(
                    rate >= Thresholds.MULTIXACT_RATE,
                    Figures.rate(rate),
                    "MultiXacts made (rows that several transactions share)");
            if (growth.multixactReads() > 0) {
                made = made.with(
                        "disk reads",
                        Figures.count(growth.multixactReads()) + " of " + Figures.count(growth.multixactLookups())
                                + " lookups of MultiXacts went to disk");
            }
            findings.add(made);
            findings.add(Finding.of(
                    false,
                    Figures.rate(growth.perSecond(growth.xids())),
                    "xids used; a row lock takes one even if the transaction writes nothing"));
        });
        seen.ages().ifPresent(ages -> {
            findings.add(age(
                    "MultiXact",
                    ages.multixacts(),
                    ages.multixactDatabase(),
                    seen.server().number("autovacuum_multixact_freeze_max_age"),
                    timeLeft(
                            ages.multixacts(),
                            seen.server().number("autovacuum_multixact_freeze_max_age"),
                            seen.growth().map(growth -> growth.perSecond(growth.multixacts())))));
            findings.add(age(
                    "xid",
                    ages.xids(),
                    ages.xidDatabase(),
                    seen.server().number("autovacuum_freeze_max_age"),
                    timeLeft(
                            ages.xids(),
                            seen.server().number("autovacuum_freeze_max_age"),
                            seen.growth().map(growth -> growth.perSecond(growth.xids())))));
        });
        seen.multiXactFiles()
                .ifPresent(files -> findings.add(Finding.of(
                        files.bytes() >= Thresholds.MULTIXACT_BYTES,
                        Figures.bytes((double) files.bytes()),
                        "in pg_multixact on disk")));
        return new Section("MultiXacts and xids", findings);
    }

    private static Finding age(String what, long age, String database, long limit, Optional<Duration> left) {
        double share = limit == 0 ? 0 : (double) age / limit;
        return Finding.of(
                share >= Thresholds.FREEZE_SHARE,
                Figures.percent(share),
                what + " age: " + Figures.count(age) + " of the " + Figures.count(limit)
                        + " at which vacuum reads whole tables (database " + database
                        + left.map(time -> "; at this rate in " + Figures.duration(time))
                                .orElse("")
                        + ")");
    }

    /** Until a limit is reached; empty where nothing grows, or it takes years. */
    static Optional<Duration> timeLeft(long age, long limit, Optional<Double> perSecond) {
        return perSecond
                .filter(rate -> rate > 0 && age < limit)
                .map(rate -> Duration.ofSeconds((long) ((limit - age) / rate)))
                .filter(left -> left.toDays() < 1_000);
    }

    static Section horizon(Examination seen) {
        List<Finding> findings = new ArrayList<>();
        if (seen.server().inRecovery()) {
            boolean feedback = seen.server().isOn("hot_standby_feedback");
            findings.add(Finding.of(
                    false,
                    feedback ? "on" : "off",
                    "hot_standby_feedback: what runs here "
                            + (feedback ? "holds the horizon of the primary" : "does not hold the primary's horizon")));
        }
        for (HorizonHolder holder : seen.horizon()) {
            boolean old = isOld(holder);
            if (!old && !findings.isEmpty()) {
                continue;
            }
            String oldest = old ? "" : "at most, by ";
            Finding finding = Finding.of(
                    old,
                    holder.lasting() == null ? Figures.count(holder.xids()) : Figures.duration(holder.lasting()),
                    (holder.lasting() == null ? "xids " : "")
                            + oldest
                            + describe(holder)
                            + (holder.lasting() == null ? "" : ", " + Figures.count(holder.xids()) + " xids old"));
            findings.add(
                    holder.statement() == null
                            ? finding
                            : finding.with("statement", Figures.statement(holder.statement())));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.of(false, "0", "Nobody holds it: vacuum can remove what is dead."));
        }
        return new Section("Who keeps vacuum from removing dead rows", findings);
    }

    static boolean isOld(HorizonHolder holder) {
        Duration lasting = holder.lasting();
        return lasting == null
                ? holder.xids() >= Thresholds.OLD_HORIZON_XIDS
                : lasting.compareTo(Thresholds.OLD_HORIZON) >= 0;
    }

    static String describe(HorizonHolder holder) {
        List<String> more = new ArrayList<>();
        if (holder.role() != null) {
            more.add(holder.role());
        }
        if (holder.application() != null) {
            more.add(holder.application());
        }
        if (holder.state() != null) {
            more.add(holder.state());
        }
        return holder.kind().title() + " " + holder.name()
                + (more.isEmpty() ? "" : " (" + String.join(", ", more) + ")");
    }

    static Section room(Examination seen) {
        Server server = seen.server();
        Samples samples = seen.samples();
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.of(
                lockTableShare(seen) >= Thresholds.LOCK_TABLE_SHARE,
                Figures.percent(lockTableShare(seen)),
                "of the lock table in use: " + Figures.count(samples.lockEntries()) + " of "
                        + Figures.count(server.lockTableRoom())
                        + " places at most (max_locks_per_transaction "
                        + server.number("max_locks_per_transaction") + " x (max_connections "
                        + server.number("max_connections") + " + max_prepared_transactions "
                        + server.number("max_prepared_transactions") + ")); each advisory lock takes one"));
        seen.growth()
                .ifPresent(growth -> findings.add(Finding.of(
                        growth.deadlocks() > 0,
                        Figures.count(growth.deadlocks()),
                        "deadlocks in database " + server.database() + " while looking")));
        findings.add(Finding.of(
                false,
                samples.hiddenSessions() > 0 ? "?" : Figures.sessions(samples.idleInTransaction()),
                "sessions idle in transaction, holding what they have locked"
                        + (samples.hiddenSessions() > 0 ? "; not visible to this role" : "")));
        if (seen.pooled()) {
            findings.add(Finding.of(
                    false,
                    "pooler",
                    "A pooler or proxy answers at this address. Rowlock's locks end with the transaction and work behind"
                            + " one; only the hand-over from session locks (ADVISORY in REPEATABLE READ or SERIALIZABLE)"
                            + " needs session pooling."));
        }
        return new Section("Lock table, deadlocks and connections", findings);
    }

    static double lockTableShare(Examination seen) {
        return (double) seen.samples().lockEntries() / Math.max(1, seen.server().lockTableRoom());
    }
}
