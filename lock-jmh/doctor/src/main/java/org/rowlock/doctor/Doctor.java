package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.LockTable;
import org.rowlock.doctor.Seen.Server;
import org.rowlock.doctor.Seen.TableUse;
import org.rowlock.doctor.ServerQuery.Row;
import org.rowlock.guard.AuditedTable;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.guard.StrayWriter;

/**
 * Looks at a running server for a while and says whether row locks hurt it. It only reads, in read-only transactions of
 * milliseconds, and rests between two looks for as long as a look takes. Any role that may connect will do; what it may
 * not see is said. PostgreSQL 14 and newer.
 */
public final class Doctor {
    private static final int OLDEST = 14;
    private final ServerAddress address;
    private final ReadOnlySession session;
    private final boolean showKeys;
    private final List<Unseen> unseen = new ArrayList<>();

    private Doctor(ServerAddress address, ReadOnlySession session, boolean showKeys) {
        this.address = address;
        this.session = session;
        this.showKeys = showKeys;
    }

    /**
     * Looks at a server.
     *
     * @param duration for how long; one look at least
     * @param showKeys whether to read and show the primary keys of hot rows
     * @throws UserError if it cannot be looked at
     */
    public static Diagnosis examine(ServerAddress address, Duration duration, boolean showKeys) {
        AtomicLong end = new AtomicLong();
        return examine(address, showKeys, samples -> {
            if (samples.count() == 1) {
                end.set(System.nanoTime() + duration.minus(Sampler.INTERVAL).toNanos());
            }
            return System.nanoTime() >= end.get();
        });
    }

    /** Looks until enough was seen. */
    static Diagnosis examine(ServerAddress address, boolean showKeys, Predicate<Samples> isEnough) {
        try (ReadOnlySession session = ReadOnlySession.open(address)) {
            return Diagnosis.of(new Doctor(address, session, showKeys).look(isEnough));
        } catch (SQLException e) {
            throw new UserError(
                    "The server at " + address.shown() + " did not let the doctor look at its locks and sessions: "
                            + Figures.sentence(e.getMessage())
                            + " Each look may take " + ReadOnlySession.STATEMENT_TIMEOUT.toSeconds()
                            + " s and reads pg_locks and pg_stat_activity, which any role may on PostgreSQL.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError("The doctor was interrupted before it had seen enough.", e);
        }
    }

    private Seen look(Predicate<Samples> isEnough) throws SQLException, InterruptedException {
        Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Row facts = session.read(connection -> {
            refuseOthers(connection);
            return ServerQuery.SERVER.read(connection).get(0);
        });
        facts.values().put("address", address.shown());
        facts.values().put("pooled", session.announcedPid() != facts.count("pid"));
        Server server = facts.as(Server.class);
        double roundTripMillis = session.roundTripMillis();
        Optional<List<Row>> countersBefore = counters(facts);
        Optional<List<Row>> tablesBefore = tryRead("updates of tables", ServerQuery.TABLES);
        Optional<List<Row>> statementsBefore = server.standby() ? Optional.empty() : statements(server);
        long ours = session.transactions();
        long began = System.nanoTime();

        Sampler sampler = new Sampler(session, showKeys);
        Samples samples = sampler.sample(server.database(), isEnough);
        sampler.unreadable()
                .forEach(table -> unseen.add(new Unseen(
                        "hot rows of " + table,
                        "their primary key could not be read (no SELECT on it, no primary key, row security, or a"
                                + " table lock)",
                        "They are known by page and tuple in pg_locks only.")));

        double seconds = (System.nanoTime() - began) / 1e9;
        ours = session.transactions() - ours;
        Optional<List<Row>> statementsAfter = statementsBefore.flatMap(any -> statements(server));
        Optional<List<Row>> countersAfter = countersBefore.flatMap(any -> counters(facts));
        Optional<List<Row>> tablesAfter = tablesBefore.flatMap(any -> tryRead("updates of tables", ServerQuery.TABLES));
        Row first = countersBefore.map(rows -> rows.get(0)).orElse(new Row(Map.of()));
        Row last = countersAfter.map(rows -> rows.get(0)).orElse(first);
        statementsAfter.ifPresent(rows -> {
            unseen.addAll(Unseen.statements(server, rows));
            rows.forEach(row -> samples.note(row, "query", "queryid"));
        });
        unseen.addAll(Unseen.of(server, facts));
        return new Seen(
                server,
                started.toString(),
                seconds,
                samples.count(),
                roundTripMillis,
                samples.busy(),
                samples.sessions(Samples.IDLE_IN_TRANSACTION),
                samples.sessions(Samples.HIDDEN),
                samples.sessions(Samples.ROW_WAITS),
                samples.sessions(Samples.UNNAMED),
                samples.otherDatabases(),
                samples.tables(),
                statementsAfter
                        .map(after -> LockingStatement.between(
                                statementsBefore.orElse(List.of()), after, seconds, last.grown("wal_bytes", first)))
                        .orElse(null),
                used(tablesBefore, tablesAfter, seconds),
                perSecond(first, last, ours),
                last.grown("deadlocks", first),
                Optional.ofNullable(samples.fullest())
                        .map(row -> row.as(LockTable.class))
                        .orElse(null),
                tryRead("who holds the vacuum horizon", ServerQuery.HORIZON).orElse(List.of()).stream()
                        .map(row -> row.as(HorizonHolder.class))
                        .toList(),
                tryRead("what Rowlock's audit has seen", Doctor::strayWriters).orElse(Map.of()),
                samples.blockers(),
                samples.nowait(),
                samples.sessions(Samples.SNAPSHOTS),
                samples.sessions(Samples.ABORTED),
                last.count("serializable_reads") + first.count("serializable_reads") > 0,
                facts.is("is_standby_gone"),
                samples.queryIds(),
                List.copyOf(unseen));
    }

    private Optional<List<Row>> counters(Row facts) {
        return tryRead("counters", connection -> {
            Row counters = ServerQuery.COUNTERS.read(connection).get(0);
            if (facts.is("has_stat_lock")) {
                counters.values()
                        .putAll(ServerQuery.FAST_PATH.read(connection).get(0).values());
            }
            return List.of(counters);
        });
    }

    /** Each table by what was read of it before and after, most updates first. */
    private static List<TableUse> used(Optional<List<Row>> before, Optional<List<Row>> after, double seconds) {
        Map<String, Row> then = before.stream()
                .flatMap(List::stream)
                .collect(Collectors.toMap(row -> row.string("table_name"), row -> row, (one, other) -> one));
        return after.stream()
                .flatMap(List::stream)
                .map(row -> TableUse.of(then.getOrDefault(row.string("table_name"), new Row(Map.of())), row, seconds))
                .sorted(Comparator.comparingDouble(TableUse::updates).reversed())
                .toList();
    }

    /** Where the audit is installed. */
    private static Map<String, List<String>> strayWriters(Connection connection) throws SQLException {
        RowLockGuard guard = RowLockGuard.of(connection);
        Set<String> audited =
                guard.auditedTables().stream().map(AuditedTable::table).collect(Collectors.toSet());
        return guard.strayWriters().stream()
                .filter(writer -> audited.contains(writer.table()))
                .collect(Collectors.groupingBy(
                        StrayWriter::table,
                        TreeMap::new,
                        Collectors.mapping(
                                writer -> writer.role()
                                        + (writer.application().isEmpty() ? "" : " (" + writer.application() + ')')
                                        + ": " + SqlText.normalize(writer.query()),
                                Collectors.toList())));
    }

    private void refuseOthers(Connection connection) throws SQLException {
        ServerFailures.refuseOtherDatabases(
                address,
                ServerQuery.query(connection, "select version()").get(0).string("version"));
        int major = connection.getMetaData().getDatabaseMajorVersion();
        if (major < OLDEST) {
            throw new UserError("The doctor needs PostgreSQL " + OLDEST + " or newer, and the server at " + address
                    + " is of version " + major + ": its pg_locks does not tell how long a lock was waited for."
                    + " Ask a newer server that carries the same load.");
        }
    }

    private static Map<String, Double> perSecond(Row first, Row last, long ours) {
        double seconds = last.grown("micros", first) / 1e6;
        Map<String, Double> rates = new LinkedHashMap<>();
        if (seconds > 0) {
            rates.put("transactions", Math.max(0, last.grown("transactions", first) - ours) / seconds);
            Stream.of("xids", "wal_bytes", "rollbacks", "fast_path_exceeded")
                    .filter(last::has)
                    .forEach(name -> rates.put(name, last.grown(name, first) / seconds));
            // In the arithmetic of the counter itself, which wraps.
            rates.put("multixacts", ((int) last.count("multixacts") - (int) first.count("multixacts")) / seconds);
        }
        return rates;
    }

    private Optional<List<Row>> statements(Server server) {
        if (server.statementsSchema() == null) {
            return Optional.empty();
        }
        return tryRead("statements", connection -> {
            // Wherever the extension is: the probe names its view as everybody does.
            connection.createStatement().execute("set local search_path = pg_catalog, " + server.statementsSchema());
            return ServerQuery.STATEMENTS.read(connection);
        });
    }

    private Optional<List<Row>> tryRead(String what, ServerQuery probe) {
        return tryRead(what, probe::read);
    }

    /** What a look sees, or a note of why it does not. */
    private <T> Optional<T> tryRead(String what, ReadOnlySession.Look<T> look) {
        try {
            return Optional.of(session.read(look));
        } catch (SQLException e) {
            unseen.add(Unseen.of(what, e));
            return Optional.empty();
        }
    }
}
