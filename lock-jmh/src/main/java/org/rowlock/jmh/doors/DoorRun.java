package org.rowlock.jmh.doors;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.rowlock.jmh.bench.Accounts;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.bench.Workload;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.run.BenchmarkRun;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Measurement;
import org.rowlock.jmh.run.Rounds;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Network;
import org.rowlock.jmh.server.ServerFacts;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;

/**
 * Compares variants of one transaction (doors). At each point (set of conditions), all variants run in slices, of half
 * a second by default, in a new random order each round. A disturbance of the machine therefore affects all variants
 * alike.
 */
public final class DoorRun extends BenchmarkRun {
    /** The number of rows in the tables of a run. A point may use fewer. */
    public static final int ROWS = 100;

    /** The number of transactions that make the optimizing compiler compile a variant. */
    private static final int COMPILED_CHANGES = 5_000;

    /** The number of warm-up transactions per client, enough to open all connections. */
    private static final int WARM_CHANGES_PER_CLIENT = 15;

    /** The JIT compilers have finished when they use less than this share of a processor. */
    private static final double COMPILED = 0.05;

    private static final int MOST_PASSES = 25;

    private final Consumer<String> progress;
    private final Random random = new Random();
    private final Map<Scenario, Rounds> rounds = new LinkedHashMap<>();
    private final Timing timing;

    private boolean isCompiled;

    /** A variant at one point, and the collector of its results. */
    private record Turns(Rounds rounds, Rounds.Place place, Door door) {}

    /** A measurement that is not yet checked for lost changes. */
    private record Measured(Turns turns, int round, Measurement measurement) {}

    /**
     * @param settings settings whose scenarios are {@link Scenarios#doors}, all with the same timing
     */
    public DoorRun(ComparisonSettings settings, Consumer<String> progress, Consumer<String> troubles) {
        super(settings, troubles);
        this.progress = progress;
        this.timing = settings.scenarios().get(0).timing();
        settings.scenarios().forEach(family -> rounds.put(family, roundsOf(family)));
    }

    /** Runs all points. If an update was lost, there are no results, because any variant may have lost it. */
    @Override
    protected List<Rounds> measure() {
        List<Point> points = settings.scenarios().stream()
                .flatMap(family -> family.points().stream())
                .distinct()
                .toList();
        for (Point point : points) {
            if (!stopped) {
                progress.accept(point.label());
                try {
                    runPoint(point);
                } catch (InvariantViolation e) {
                    fail(point.label(), e);
                    return List.of();
                } catch (SQLException | RuntimeException e) {
                    // After a stop, the failure is a consequence of the stop.
                    if (!stopped) {
                        fail(point.label(), e);
                    }
                }
            }
        }
        return List.copyOf(rounds.values());
    }

    private void runPoint(Point point) throws SQLException {
        Crowd crowd = new Crowd(point.clients(), Integer.parseInt(point.params().getOrDefault(Point.ROWS, "1")));
        BenchmarkServer opened = open(point);
        try (opened) {
            Network network = opened.over(point.rttMillis());
            createTables(opened);
            List<Turns> doors = doors(opened, point);
            Processors processors;
            try (Connection connection = opened.connectDirectly()) {
                describe(ServerFacts.of(connection), Map.of());
                processors = Processors.of(connection);
            }
            long raises = warmUp(doors, crowd, processors);
            List<Measured> measured = new ArrayList<>();
            for (int round = 1; round <= timing.rounds() && !stopped; round++) {
                Collections.shuffle(doors, random);
                for (Turns each : doors) {
                    if (stopped) {
                        break;
                    }
                    Crowd.Slice slice = slice(each, crowd, processors);
                    measured.add(new Measured(each, round, measurement(slice.results(), network)));
                    raises += slice.completed() * each.door().by();
                }
                progress.accept("  round " + round + " of " + timing.rounds());
            }
            checkSum(opened, raises);
            measured.forEach(each -> each.turns().rounds().add(each.turns().place(), each.round(), each.measurement()));
        } finally {
            left = opened.left();
        }
    }

    private static Measurement measurement(Published results, Network network) {
        Map<String, Double> figures = new TreeMap<>();
        results.all().forEach((name, result) -> figures.put(name, result.getScore()));
        figures.put(Metric.SCORE, results.perSecond());
        figures.put("net.roundTrip", network.roundTripMillis());
        return new Measurement(figures, List.of(results.perSecond()));
    }

    private BenchmarkServer open(Point point) throws SQLException {
        ServerAddress server = settings.server();
        return server != null
                ? BenchmarkServer.open(server)
                : BenchmarkServer.open(Map.of("max_connections", Integer.toString(point.connections() + 42)));
    }

    static void createTables(BenchmarkServer server) throws SQLException {
        Accounts.create(server, ROWS);
        server.execute(
                "create table " + JpaDoors.VERSIONED
                        + " (aid int primary key, balance bigint not null, version int not null)"
                        + " with (fillfactor = 50)",
                "insert into " + JpaDoors.VERSIONED + " select i, 0, 0 from generate_series(1, " + ROWS + ") i",
                "vacuum analyze " + JpaDoors.VERSIONED);
    }

    /** Fails unless the sum of the balances equals the number of committed raises. */
    static void checkSum(BenchmarkServer server, long raises) throws SQLException {
        long versioned = server.numbers("select sum(balance) from " + JpaDoors.VERSIONED)[0];
        new Accounts(server, ROWS).checkSum(raises - versioned);
    }

    private List<Turns> doors(BenchmarkServer opened, Point point) {
        int writes = Integer.parseInt(point.params().getOrDefault("writes", "1"));
        JdbcDoors jdbc = new JdbcDoors(opened, point.clients(), writes);
        JpaDoors jpa = new JpaDoors(opened, jdbc.pool());
        List<Turns> turns = new ArrayList<>();
        rounds.forEach((family, results) -> {
            Map<Variant, Door> doors = new HashMap<>();
            for (Rounds.Place place : turns(family, point, 1)) {
                Door door = doors.computeIfAbsent(
                        place.variant(),
                        variant -> JpaDoors.has(variant.door()) ? jpa.door(variant.door()) : jdbc.door(variant.door()));
                // A door that writes less often does less work, so its ratio would mislead.
                if (door.by() == writes) {
                    turns.add(new Turns(results, place, door));
                }
            }
        });
        return turns;
    }

    /**
     * Warms up with one client first, because many clients would leave the JIT compilers no processor. All clients then
     * fill the pools and the queues.
     */
    private long warmUp(List<Turns> doors, Crowd crowd, Processors processors) throws SQLException {
        long crowdChanges = WARM_CHANGES_PER_CLIENT * (long) crowd.clients();
        long raises = pass(doors, new Crowd(1, crowd.rows()), isCompiled ? 1 : COMPILED_CHANGES, processors);
        return raises + pass(doors, crowd, crowdChanges, processors);
    }

    /**
     * Repeats passes through all variants, at most {@link #MOST_PASSES}, until each variant has made enough changes and
     * the JIT compilers have finished.
     */
    private long pass(List<Turns> doors, Crowd crowd, long least, Processors processors) throws SQLException {
        long raises = 0;
        Map<Turns, Long> changes = new HashMap<>();
        for (int pass = 1; pass <= (Workload.warmsUp() ? MOST_PASSES : 1) && !stopped; pass++) {
            double compiled = Processors.compilerSeconds();
            long begun = System.nanoTime();
            for (Turns each : doors) {
                long more = slice(each, crowd, processors).completed();
                changes.merge(each, more, Long::sum);
                raises += more * each.door().by();
            }
            double share = (Processors.compilerSeconds() - compiled) / ((System.nanoTime() - begun) / 1e9);
            progress.accept(String.format(
                    "  warm-up with %d client(s), pass %d: the compilers took %.2f of a processor",
                    crowd.clients(), pass, share));
            if (share < COMPILED && changes.values().stream().allMatch(each -> each >= least)) {
                isCompiled = true;
                break;
            }
        }
        return raises;
    }

    private Crowd.Slice slice(Turns turns, Crowd crowd, Processors processors) throws SQLException {
        try {
            return crowd.slice(turns.door(), Duration.ofMillis(timing.millis()), processors);
        } catch (SQLException | RuntimeException e) {
            throw new SQLException(
                    "With the variant '" + turns.place().variant().label() + "': " + ServerFailures.describe(e), e);
        }
    }
}
