package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Probe.Row;
import org.rowlock.doctor.Seen.Audited;
import org.rowlock.doctor.Seen.Causes;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.LockTable;
import org.rowlock.doctor.Seen.Scanned;
import org.rowlock.doctor.Seen.Server;
import org.rowlock.doctor.Seen.Updated;
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
    private static final String STATEMENTS = "pg_stat_statements";
    private static final Duration INTERVAL = Duration.ofMillis(100);

    /** Samples from one look at the whole lock table to the next. */
    private static final int LOCK_TABLE_EVERY = 10;

    private static final int BLOCKERS_EVERY = 5;

    private final ServerAddress address;
    private final ReadOnlySession session;
    private final boolean showKeys;
    private final List<Unseen> unseen = new ArrayList<>();
    private final Map<Long, Optional<String>> keySelects = new HashMap<>();
    private final Set<String> unreadable = new TreeSet<>();

    private Doctor(ServerAddress address, ReadOnlySession session, boolean showKeys) {
        this.address = address;
        this.session = session;
        this.showKeys = showKeys;
    }

    /**
     * Looks at a server. Values of the application are in nothing that it says.
     *
     * @param duration for how long; one look at least
     * @throws UserError if it cannot be looked at
     */
    public static Diagnosis examine(ServerAddress address, Duration duration) {
        return examine(address, duration, false);
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
                end.set(System.nanoTime() + duration.minus(INTERVAL).toNanos());
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
            return Probe.SERVER.read(connection).get(0);
        });
        Server server = server(facts);
        double roundTripMillis = session.roundTripMillis();
        Optional<List<Row>> countersBefore = counters(facts);
        Optional<List<Row>> tablesBefore = tryRead("updates of tables", Probe.TABLES);
        Optional<List<Row>> statementsBefore = server.standby() ? Optional.empty() : statements(server);
        long ours = session.transactions();
        long began = System.nanoTime();

        Samples samples = sample(server, isEnough);

        double seconds = (System.nanoTime() - began) / 1e9;
        ours = session.transactions() - ours;
        Optional<List<Row>> statementsAfter = statementsBefore.flatMap(any -> statements(server));
        Optional<List<Row>> countersAfter = countersBefore.flatMap(any -> counters(facts));
        Optional<List<Row>> tablesAfter = tablesBefore.flatMap(any -> tryRead("updates of tables", Probe.TABLES));
        Row first = countersBefore.map(rows -> rows.get(0)).orElse(new Row(Map.of()));
        Row last = countersAfter.map(rows -> rows.get(0)).orElse(first);
        statementsAfter.ifPresent(rows -> {
            noteHidden(server, rows);
            rows.forEach(row -> samples.note(row, "query", "queryid"));
        });
        notePrivileges(server, facts);
        return new Seen(
                server,
                started.toString(),
                seconds,
                samples.count(),
                roundTripMillis,
                samples.busy(),
                samples.idleInTransaction(),
                samples.hidden(),
                samples.rowWaits(),
                samples.unnamed(),
                samples.otherDatabases(),
                samples.tables(tablesAfter.stream()
                        .flatMap(List::stream)
                        .filter(row -> row.is("is_referenced"))
                        .map(row -> row.string("table_name"))
                        .collect(Collectors.toSet())),
                statementsAfter
                        .map(after -> Locking.between(
                                statementsBefore.orElse(List.of()), after, seconds, grown(first, last, "wal_bytes")))
                        .orElse(null),
                updated(tablesBefore.orElse(List.of()), tablesAfter.orElse(List.of()), seconds),
                perSecond(first, last, ours),
                grown(first, last, "deadlocks"),
                lockTable(samples, server),
                tryRead("who holds the vacuum horizon", Probe.HORIZON).orElse(List.of()).stream()
                        .map(Doctor::horizonHolder)
                        .toList(),
                tryRead("what Rowlock's audit has seen", Doctor::audited).orElse(List.of()),
                causes(samples, facts, first, last, tablesBefore.orElse(List.of()), tablesAfter.orElse(List.of())),
                List.copyOf(unseen));
    }

    private Optional<List<Row>> counters(Row facts) {
        return tryRead("counters", connection -> {
            Row counters = Probe.COUNTERS.read(connection).get(0);
            if (facts.is("has_stat_lock")) {
                counters.values().putAll(Probe.FAST_PATH.read(connection).get(0).values());
            }
            return List.of(counters);
        });
    }

    private Causes causes(
            Samples samples, Row facts, Row first, Row last, List<Row> tablesBefore, List<Row> tablesAfter) {
        Map<String, Row> before = tablesBefore.stream()
                .collect(Collectors.toMap(row -> row.string("table_name"), row -> row, (one, other) -> one));
        List<Scanned> scanned = tablesAfter.stream()
                .map(row -> {
                    Row then = before.getOrDefault(row.string("table_name"), new Row(Map.of()));
                    return new Scanned(
                            row.string("table_name"),
                            (double) grown(then, row, "scanned") / Math.max(1, grown(then, row, "scans")),
                            row.is("lacks_index"));
                })
                .toList();
        return new Causes(
                samples.blockers(),
                samples.nowait(),
                samples.snapshots(),
                samples.aborted(),
                last.count("serializable_reads") + first.count("serializable_reads") > 0,
                scanned,
                facts.is("reads_all_stats")
                        && !facts.string("synchronous").isEmpty()
                        && facts.count("synchronous_there") == 0,
                samples.queryIds());
    }

    private void refuseOthers(Connection connection) throws SQLException {
        ServerErrors.refuseOtherDatabases(
                address, Probe.query(connection, "select version()").get(0).string("version"));
        int major = connection.getMetaData().getDatabaseMajorVersion();
        if (major < OLDEST) {
            throw new UserError("The doctor needs PostgreSQL " + OLDEST + " or newer, and the server at " + address
                    + " is of version " + major + ": its pg_locks does not tell how long a lock was waited for."
                    + " Ask a newer server that carries the same load.");
        }
    }

    private Server server(Row row) throws SQLException {
        return new Server(
                address.shown(),
                row.string("version"),
                row.string("database"),
                row.string("role"),
                row.is("in_recovery"),
                session.announcedPid() != row.count("pid"),
                row.is("reads_all_stats"),
                row.is("hot_standby_feedback"),
                row.count("max_locks_per_transaction"),
                row.count("lock_room"),
                row.text("preloaded"),
                row.text("statements_schema"),
                row.text("cluster"));
    }

    /**
     * A sample is followed by a pause as long as itself at least, so that looking is never more than half of one
     * session. Not longer: on a server that is short of CPUs a sample takes long by waiting for one, and that is when
     * samples are wanted.
     */
    private Samples sample(Server server, Predicate<Samples> isEnough) throws SQLException, InterruptedException {
        Samples samples = new Samples();
        while (true) {
            long began = System.nanoTime();
            List<Row> activity = session.read(Probe.ACTIVITY::read);
            session.read(connection -> {
                List<Row> rows = Probe.WAITS.read(connection);
                rows.forEach(row -> samples.note(row, "query", "query_id"));
                rows.forEach(row -> samples.note(row, "holder_query", "holder_query_id"));
                List<Wait> waits = rows.stream().map(Wait::of).toList();
                samples.add(server.database(), activity, waits);
                if (showKeys) {
                    addHotRow(connection, samples, waits);
                }
                return waits;
            });
            if (samples.count() % BLOCKERS_EVERY == 1) {
                samples.addBlockers(session.read(Probe.BLOCKERS::read));
            }
            if (samples.count() % LOCK_TABLE_EVERY == 1) {
                session.read(Probe.LOCK_TABLE::read).forEach(samples::add);
            }
            if (isEnough.test(samples)) {
                unreadable.forEach(table -> unseen.add(new Unseen(
                        "hot rows of " + table,
                        "their primary key could not be read (no SELECT on it, no primary key, row security, or a"
                                + " table lock)",
                        "They are known by page and tuple in pg_locks only.")));
                return samples;
            }
            long spent = System.nanoTime() - began;
            Thread.sleep(Duration.ofNanos(Math.max(INTERVAL.toNanos() - spent, spent))
                    .toMillis());
        }
    }

    /**
     * The key of the row where most wait, in the sample's transaction: its snapshot still sees the version waited for.
     */
    private void addHotRow(Connection connection, Samples samples, List<Wait> waits) throws SQLException {
        Wait wait = Samples.longestQueue(waits).orElse(null);
        Wait.Tuple tuple = wait == null ? null : wait.tuple();
        if (wait == null || tuple == null) {
            return;
        }
        try {
            Optional<String> select = keySelects.get(tuple.relation());
            if (select == null) {
                select = Probe.KEY.read(connection, "relation", tuple.relation()).stream()
                        .filter(row -> row.is("may_read"))
                        .map(row -> row.string("statement"))
                        .findFirst();
            }
            keySelects.put(tuple.relation(), select);
            if (select.isEmpty()) {
                unreadable.add(String.valueOf(wait.table()));
                return;
            }
            Probe.query(connection, select.get() + "'(" + tuple.page() + ',' + tuple.number() + ")'")
                    .forEach(row -> samples.addHotRow(wait.table(), row.string("key")));
        } catch (SQLException e) {
            // Somebody alters the table. The sample counts all the same.
            connection.rollback();
            keySelects.put(tuple.relation(), Optional.empty());
            unreadable.add(String.valueOf(wait.table()));
        }
    }

    private static long grown(Row first, Row last, String counter) {
        return last.count(counter) - first.count(counter);
    }

    private static Map<String, Double> perSecond(Row first, Row last, long ours) {
        double seconds = grown(first, last, "micros") / 1e6;
        Map<String, Double> rates = new java.util.LinkedHashMap<>();
        if (seconds > 0) {
            rates.put("transactions", Math.max(0, grown(first, last, "transactions") - ours) / seconds);
            Stream.of("xids", "wal_bytes", "rollbacks", "fast_path_exceeded")
                    .filter(last::has)
                    .forEach(name -> rates.put(name, grown(first, last, name) / seconds));
            // In the arithmetic of the counter itself, which wraps.
            rates.put("multixacts", ((int) last.count("multixacts") - (int) first.count("multixacts")) / seconds);
        }
        return rates;
    }

    private static List<Updated> updated(List<Row> before, List<Row> after, double seconds) {
        Map<String, Row> first = before.stream()
                .collect(Collectors.toMap(row -> row.string("table_name"), row -> row, (one, other) -> one));
        return after.stream()
                .map(row -> {
                    Row then = first.getOrDefault(row.string("table_name"), new Row(Map.of()));
                    long updates = grown(then, row, "updates");
                    return new Updated(
                            row.string("table_name"),
                            updates / seconds,
                            updates <= 0 ? 0 : (double) grown(then, row, "hot_updates") / updates,
                            row.count("live"),
                            row.count("dead"),
                            row.has("vacuumed_s") ? Math.max(0, row.number("vacuumed_s")) : null);
                })
                .filter(table -> table.perSecond() > 0)
                .sorted((one, other) -> Double.compare(other.perSecond(), one.perSecond()))
                .toList();
    }

    private static @Nullable LockTable lockTable(Samples samples, Server server) {
        Row row = samples.fullest();
        if (row == null) {
            return null;
        }
        return new LockTable(
                row.count("entries"),
                (double) row.count("entries") / Math.max(1, server.lockRoom()),
                row.count("most"),
                row.string("pid") + (row.has("application") ? " (" + row.string("application") + ')' : ""),
                row.statement("query"));
    }

    private static HorizonHolder horizonHolder(Row row) {
        return new HorizonHolder(
                row.string("kind"),
                row.string("name"),
                Stream.of("role", "application", "state")
                        .map(row::text)
                        .filter(Objects::nonNull)
                        .collect(Collectors.joining(", ")),
                row.statement("query"),
                row.count("xids"),
                row.has("seconds") ? Math.max(0, row.number("seconds")) : null,
                row.has("idle_seconds") ? Math.max(0, row.number("idle_seconds")) : null);
    }

    /** Tables under Rowlock's audit with writers that do not lock; none where it is not installed. */
    private static List<Audited> audited(Connection connection) throws SQLException {
        RowLockGuard guard = RowLockGuard.of(connection);
        List<StrayWriter> writers = guard.strayWriters();
        return guard.auditedTables().stream()
                .map(AuditedTable::table)
                .map(table -> new Audited(
                        table,
                        writers.stream()
                                .filter(writer -> writer.table().equals(table))
                                .map(writer -> writer.role()
                                        + (writer.application().isEmpty() ? "" : " (" + writer.application() + ')')
                                        + ": "
                                        + SqlText.normalize(writer.query()))
                                .toList()))
                .filter(table -> !table.writers().isEmpty())
                .toList();
    }

    private Optional<List<Row>> statements(Server server) {
        if (server.statementsSchema() == null) {
            return Optional.empty();
        }
        return tryRead("statements", connection -> {
            // Wherever the extension is: the probe names its view as everybody does.
            connection.createStatement().execute("set local search_path = pg_catalog, " + server.statementsSchema());
            return Probe.STATEMENTS.read(connection);
        });
    }

    private void notePrivileges(Server server, Row facts) {
        if (server.statementsSchema() == null && !server.standby()) {
            String preloaded = server.preloaded();
            unseen.add(new Unseen(
                    "statements",
                    STATEMENTS + " is not installed in database " + server.database(),
                    (preloaded != null && preloaded.contains(STATEMENTS)
                                    ? "Run there: "
                                    : "Add it to shared_preload_libraries, restart, and run there: ")
                            + "create extension " + STATEMENTS + "."));
        }
        if (!server.readsAllStats()) {
            unseen.add(new Unseen(
                    "sessions of other roles",
                    "the role " + server.role()
                            + " may not read what they do; row lock waits are seen without, in pg_locks",
                    "Run as a superuser: grant pg_read_all_stats to " + server.role() + " (or pg_monitor)."));
        }
        if (!facts.is("track_activities")) {
            unseen.add(new Unseen("sessions", "track_activities is off", "Set it on."));
        }
        if (!facts.is("track_counts")) {
            unseen.add(new Unseen("updates of tables", "track_counts is off, and autovacuum with it", "Set it on."));
        }
        unseen.add(new Unseen(
                "threads that wait for a connection",
                "the server does not know of them",
                "Look at the pool's metrics (HikariCP: hikaricp.connections.pending; PgBouncer: show pools,"
                        + " cl_waiting)."));
    }

    private void noteHidden(Server server, List<Row> statements) {
        long hidden = statements.stream()
                .filter(row -> row.string("query").equals("<insufficient privilege>"))
                .count();
        if (hidden > 0) {
            unseen.add(new Unseen(
                    "statements of other roles",
                    Figures.count(hidden) + " in " + STATEMENTS + " are hidden from the role " + server.role(),
                    "Run as a superuser: grant pg_read_all_stats to " + server.role() + "."));
        }
    }

    private Optional<List<Row>> tryRead(String what, Probe probe) {
        return tryRead(what, probe::read);
    }

    /** What a look sees, or a note of why it does not. */
    private <T> Optional<T> tryRead(String what, ReadOnlySession.Look<T> look) {
        try {
            return Optional.of(session.read(look));
        } catch (SQLException e) {
            String said = Figures.sentence(e.getMessage());
            String why = said.substring(0, said.length() - 1);
            unseen.add(
                    switch (String.valueOf(e.getSQLState())) {
                        case "42501" -> new Unseen(what, why, "A superuser may grant pg_monitor.");
                        case "57014" ->
                            new Unseen(
                                    what,
                                    "the server took longer than " + ReadOnlySession.STATEMENT_TIMEOUT.toSeconds()
                                            + " s to tell",
                                    "Try again when it is less busy.");
                        case "55000" -> new Unseen(what, why, "Add it to shared_preload_libraries and restart.");
                        case "42703" -> new Unseen(what, why, "Run: alter extension " + STATEMENTS + " update.");
                        default -> new Unseen(what, why, "");
                    });
            return Optional.empty();
        }
    }
}
