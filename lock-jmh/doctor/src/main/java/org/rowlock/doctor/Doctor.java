package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.Server;
import org.rowlock.doctor.Seen.TableUse;
import org.rowlock.doctor.ServerQuery.Row;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/**
 * Samples a running server and reports whether row locks hurt it. The doctor only reads, in read-only transactions that
 * take milliseconds. After each sample the doctor pauses for at least as long as the sample took. Any role with the
 * right to connect can run the doctor, and the report names the figures that the role cannot see. The doctor supports
 * PostgreSQL 14 and newer.
 */
public final class Doctor {
    private static final String STRAY_WRITERS = "select w.relation::text as relation, w.query,"
            + " w.role || coalesce(' (' || nullif(w.application, '') || ')', '') as who"
            + " from rowlock.stray_writers as w where w.relation in (select a.relation from rowlock.audits as a)"
            + " order by w.last_seen desc, w.first_seen desc, w.query";

    private final ServerAddress address;
    private final ReadOnlySession session;
    private final Set<Unseen> unseen = new LinkedHashSet<>();

    private Doctor(ServerAddress address, ReadOnlySession session) {
        this.address = address;
        this.session = session;
    }

    /**
     * Examines a server.
     *
     * @param duration how long to sample; at least one sample is taken
     */
    public static Diagnosis examine(ServerAddress address, Duration duration) {
        return examine(
                address, samples -> samples.elapsed().plus(Samples.INTERVAL).compareTo(duration) >= 0);
    }

    static Diagnosis examine(ServerAddress address, Predicate<Samples> isEnough) {
        try (ReadOnlySession session = ReadOnlySession.open(address)) {
            return Diagnosis.of(new Doctor(address, session).look(isEnough));
        } catch (SQLException e) {
            throw ServerFailures.at(address, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError("The doctor was interrupted before it had enough samples. Run it again.", e);
        }
    }

    private Seen look(Predicate<Samples> isEnough) throws SQLException, InterruptedException {
        Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Row facts = session.read(connection -> {
            ServerFailures.refuseOthers(
                    address,
                    ServerQuery.query(connection, "select version()").get(0).string("version"),
                    connection.getMetaData().getDatabaseMajorVersion());
            return ServerQuery.SERVER.read(connection).get(0);
        });
        facts.values().put("address", address.toString());
        Server server = facts.as(Server.class);
        double roundTripMillis = session.roundTripMillis();
        Set<ServerQuery> counting = EnumSet.of(ServerQuery.COUNTERS, ServerQuery.TABLES);
        if (facts.has("statements_schema") && !server.standby()) {
            counting.add(ServerQuery.STATEMENTS);
        }
        Map<ServerQuery, List<Row>> before = counted(facts, counting);
        long ours = session.transactions();
        Samples samples = Samples.of(session, isEnough);
        double seconds = samples.elapsed().toNanos() / 1e9;
        ours = session.transactions() - ours;
        Map<ServerQuery, List<Row>> grown = counted(facts, before.keySet());
        grown.replaceAll((query, rows) -> query.grown(before.getOrDefault(query, List.of()), rows));

        List<Row> statements = grown.getOrDefault(ServerQuery.STATEMENTS, List.of());
        unseen.addAll(Unseen.of(server, facts, statements));
        Row counters = grown.getOrDefault(ServerQuery.COUNTERS, List.of(new Row(new HashMap<>())))
                .get(0);
        counters.values().put("transactions", Math.max(0, counters.number("transactions") - ours));
        return new Seen(
                server,
                started.toString(),
                seconds,
                samples.count(),
                roundTripMillis,
                samples.busy(),
                samples.average(samples.sessions),
                samples.tables(),
                LockingStatement.of(statements, seconds, counters.number("wal_bytes")),
                as(TableUse.class, grown.getOrDefault(ServerQuery.TABLES, List.of())),
                perSecond(counters),
                counters.count("deadlocks"),
                samples.fullest,
                as(HorizonHolder.class, tryRead("holders of the vacuum horizon", List.of(), ServerQuery.HORIZON::read)),
                tryRead("records of Rowlock's audit", Map.of(), Doctor::strayWriters),
                samples.blockers(),
                samples.nowait.shares().keySet().stream().findFirst().orElse(null),
                List.copyOf(unseen));
    }

    private static <T extends Record> List<T> as(Class<T> type, List<Row> rows) {
        return rows.stream().map(row -> row.as(type)).toList();
    }

    private Map<ServerQuery, List<Row>> counted(Row facts, Set<ServerQuery> queries) {
        Map<ServerQuery, List<Row>> counted = new EnumMap<>(ServerQuery.class);
        for (ServerQuery query : queries) {
            List<Row> rows = tryRead(Figures.title(query), null, connection -> {
                if (query == ServerQuery.STATEMENTS) {
                    // The query names the view of pg_stat_statements without a schema, and the extension can be in any
                    // schema.
                    String path = "set local search_path = pg_catalog, " + facts.string("statements_schema");
                    connection.createStatement().execute(path);
                }
                return query.read(connection);
            });
            if (rows != null) {
                counted.put(query, rows);
            }
        }
        return counted;
    }

    private static Map<String, Double> perSecond(Row counters) {
        Map<String, Double> rates = new LinkedHashMap<>();
        double seconds = counters.number("micros") / 1e6;
        if (seconds > 0) {
            counters.values().forEach((name, any) -> rates.put(name, counters.number(name) / seconds));
            rates.remove("micros");
        }
        return rates;
    }

    /**
     * Returns a map from each table to the roles and statements that wrote to it without a lock. The map is empty if
     * Rowlock's audit is not installed on the server.
     */
    private static Map<String, List<String>> strayWriters(Connection connection) throws SQLException {
        String installed = "select to_regclass('rowlock.audits') as audits";
        if (!ServerQuery.query(connection, installed).get(0).has("audits")) {
            return Map.of();
        }
        return ServerQuery.query(connection, STRAY_WRITERS).stream()
                .collect(Collectors.groupingBy(
                        writer -> writer.string("relation"),
                        TreeMap::new,
                        Collectors.mapping(
                                writer -> writer.string("who") + ": " + writer.string("query"), Collectors.toList())));
    }

    /** Runs a query. If the server refuses the query, notes the refusal and returns {@code otherwise}. */
    private <T extends @Nullable Object> T tryRead(String what, T otherwise, ReadOnlySession.Look<T> look) {
        try {
            return session.read(look);
        } catch (SQLException e) {
            unseen.add(Unseen.of(what, e));
            return otherwise;
        }
    }
}
