package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rowlock.doctor.Counters.Growth;
import org.rowlock.doctor.LockingStatements.LockingStatement;

/** What to do about the server as a whole. */
final class ServerAdvice {
    private ServerAdvice() {}

    /** What helps at once, and makes every other figure worse while it lasts. */
    static List<Advice> horizon(Examination seen) {
        List<Advice> advice = new ArrayList<>();
        for (HorizonHolder holder : seen.horizon()) {
            if (ServerFindings.isOld(holder)) {
                advice.add(new Advice(
                                "vacuum horizon",
                                holder.remedy(),
                                "The " + ServerFindings.describe(holder) + " has held it "
                                        + (holder.lasting() == null
                                                ? ""
                                                : "for " + Figures.duration(holder.lasting()) + ", ")
                                        + "through " + Figures.count(holder.xids())
                                        + " xids. Dead versions of updated rows stay, and every access to a hot row walks through"
                                        + " them" + bloat(seen) + ".")
                        .shownBy("horizon"));
            }
        }
        return advice;
    }

    private static String bloat(Examination seen) {
        return mostBloated(seen)
                .map(table -> " (" + table.table() + ": " + deadRows(table) + ")")
                .orElse("");
    }

    private static Optional<TableUpdates> mostBloated(Examination seen) {
        return seen.updates().stream()
                .filter(StatementFindings::isBloated)
                .max((one, other) -> Double.compare(one.deadPerLive(), other.deadPerLive()));
    }

    private static String deadRows(TableUpdates table) {
        return Figures.count(table.dead()) + " dead rows, " + Figures.count(table.live()) + " live";
    }

    /** Where vacuum could remove dead rows and does not come. */
    static List<Advice> vacuum(Examination seen) {
        if (!horizon(seen).isEmpty()) {
            return List.of();
        }
        return mostBloated(seen).stream()
                .map(
                        table -> new Advice(
                                table.table(),
                                "Find out why autovacuum does not keep up, and vacuum it: vacuum " + table.table()
                                        + ".",
                                deadRows(table) + ", "
                                        + (table.sinceVacuum() == null
                                                ? "never vacuumed"
                                                : "vacuumed " + Figures.duration(table.sinceVacuum()) + " ago")
                                        + ", and " + youngHorizon(seen)
                                        + ". Every access walks through dead versions, under a"
                                        + " row lock as well. By default autovacuum looks once a minute for tables with a fifth of"
                                        + " their rows dead: it is off (autovacuum, or the table's autovacuum_enabled), its"
                                        + " thresholds are higher, or its workers are busy elsewhere (autovacuum_max_workers)."))
                .toList();
    }

    /** Who holds vacuum back, where nobody does for long. */
    private static String youngHorizon(Examination seen) {
        return seen.horizon().stream()
                .findFirst()
                .map(holder -> "the oldest that holds vacuum back does so for "
                        + (holder.lasting() == null
                                ? Figures.count(holder.xids()) + " xids"
                                : Figures.duration(holder.lasting()))
                        + " only")
                .orElse("nobody holds vacuum back");
    }

    static List<Advice> multixacts(Examination seen) {
        double rate = WaitVerdict.multixactRate(seen);
        double waits = WaitVerdict.share(seen.samples(), WaitEvents.MULTIXACT);
        if (rate < Thresholds.MULTIXACT_RATE && waits < Thresholds.LWLOCK_SHARE) {
            return List.of();
        }
        String figures = Figures.number(rate) + " MultiXacts a second"
                + (waits > 0 ? ", and " + Figures.percent(waits) + " of the busy time waits in them" : "");
        Optional<LockingStatement> sharer = seen.statements().stream()
                .flatMap(statements -> statements.statements().stream())
                .filter(statement ->
                        statement.isShared() && !statement.isForeignKeyCheck() && statement.callsMeanwhile() > 0)
                .findFirst();
        if (sharer.isPresent()) {
            return List.of(new Advice(
                            "MultiXacts",
                            "Shared advisory locks (ADVISORY) for: "
                                    + Figures.statement(sharer.get().sql()),
                            figures + ". This statement ran "
                                    + Figures.count(sharer.get().calls()) + " times and wrote "
                                    + Figures.bytes(sharer.get().walBytes()
                                            / sharer.get().calls())
                                    + " of WAL a call. A shared advisory lock writes nothing and makes no MultiXact (measured with"
                                    + " 1,000 rows: 1.4x). BOTH does not help here, as it takes the row lock too.")
                    .shownBy("share"));
        }
        return List.of(new Advice(
                "MultiXacts",
                "Find out which statements share rows before anything else.",
                figures
                        + ". They come from FOR SHARE, which Rowlock replaces, from foreign keys whose parents are inserted"
                        + " against by many at once, which it does not, and from a row that is locked and then updated in"
                        + " a savepoint."
                        + (seen.statements()
                                        .filter(statements -> statements.hidden() == 0)
                                        .isPresent()
                                ? " pg_stat_statements saw no statement with FOR SHARE or FOR KEY SHARE meanwhile, so it is"
                                        + " one of the latter two."
                                : " pg_stat_statements would tell; see what could not be seen.")));
    }

    static List<Advice> lockTable(Examination seen) {
        List<Advice> advice = new ArrayList<>();
        double used = ServerFindings.lockTableShare(seen);
        Server server = seen.server();
        if (used >= Thresholds.LOCK_TABLE_SHARE) {
            advice.add(new Advice(
                            "lock table",
                            "Raise max_locks_per_transaction (now " + server.number("max_locks_per_transaction")
                                    + "; needs a restart) before any table goes to BOTH or ADVISORY.",
                            Figures.percent(used)
                                    + " of it was in use. An advisory lock takes a place in it, a row lock takes none,"
                                    + " and a full table fails every session of the server.")
                    .shownBy("many-keys"));
        }
        double waits = WaitVerdict.share(seen.samples(), WaitEvents.LOCK_MANAGER);
        // A convoy at rows makes such waits itself, and they go with it.
        if (waits >= Thresholds.LWLOCK_SHARE && WaitVerdict.kind(seen) != Verdict.Kind.HURT) {
            advice.add(new Advice(
                    "lock table",
                    "Look at LockManager waits first; advisory locks would add to them.",
                    Figures.percent(waits)
                            + " of the busy time waits to get into the lock table, mostly by queries that"
                            + " touch more partitions and indexes than have room in the fast path (16 before PostgreSQL"
                            + " 18; since then max_locks_per_transaction). Advisory locks go the same way."));
        }
        return advice;
    }

    static List<Advice> deadlocks(Examination seen) {
        long deadlocks = seen.growth().map(Growth::deadlocks).orElse(0L);
        return deadlocks == 0
                ? List.of()
                : List.of(new Advice(
                        "deadlocks",
                        "Lock the rows of a transaction in one order, with lockAll.",
                        Figures.count(deadlocks)
                                + " deadlocks while looking. lockAll sorts the keys, so that two callers"
                                + " cannot meet head-on."));
    }
}
