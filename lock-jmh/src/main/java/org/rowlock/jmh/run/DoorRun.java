package org.rowlock.jmh.run;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rowlock.jmh.bench.Accounts;
import org.rowlock.jmh.bench.Clients;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.bench.JpaDoors;
import org.rowlock.jmh.bench.Meter;
import org.rowlock.jmh.bench.Workload;
import org.rowlock.jmh.bench.Zipf;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.profile.Window;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Network;
import org.rowlock.tool.ServerFailures;

/**
 * Runs the turns of a scenario whose variants (doors) share this JVM. At each point, all variants run in slices, of
 * half a second by default, in a new random order each round. A disturbance of the machine therefore affects all
 * variants alike.
 */
final class DoorRun {
    /** The number of rows in the tables of a run. A point may use fewer. */
    static final int ROWS = 100;

    /** The number of transactions that make the optimizing compiler compile a variant. */
    private static final int COMPILED_CHANGES = 5_000;

    /** The number of warm-up transactions per client, enough to open all connections. */
    private static final int WARM_CHANGES_PER_CLIENT = 15;

    /** The JIT compilers have finished when they use less than this share of a processor. */
    private static final double COMPILED = 0.05;

    private static final int MOST_PASSES = 25;

    /** How long the threads fill the queues before each slice, as a fraction of the slice. */
    private static final double SETTLING = 0.25;

    /** The key of the number of changes, including changes before and after the slice. */
    private static final String COMPLETED = "completed";

    /** The variants whose code is compiled. */
    private static final Set<String> WARM = ConcurrentHashMap.newKeySet();

    private final Comparison comparison;
    private final BenchmarkServer server;
    private final Network network;
    private final Timing timing;
    private final int rows;
    private final double zipf;
    private final List<Turn> turns;
    private long raises;

    /** A variant and its place among the turns of a round. */
    private record Turn(Rounds.Place place, Door door) {}

    private DoorRun(Comparison comparison, Scenario scenario, Point point, BenchmarkServer server) throws SQLException {
        this.comparison = comparison;
        this.server = server;
        this.network = server.over(point.rttMillis());
        this.timing = scenario.timing();
        this.rows = Integer.parseInt(point.params().getOrDefault(Point.ROWS, "100"));
        this.zipf = Double.parseDouble(point.params().getOrDefault("zipf", "1.1"));
        createTables(server);
        this.turns = turns(scenario, point);
    }

    /** Runs all points. If an update was lost, there are no results, because any variant may have lost it. */
    static void run(Comparison comparison, Scenario scenario, Rounds rounds) {
        for (Point point : scenario.points()) {
            String what = scenario.name() + ", " + point.label();
            comparison.tell("  " + what);
            try (BenchmarkServer server = BenchmarkServer.open(Map.of())) {
                new DoorRun(comparison, scenario, point, server).run(point.clients(), rounds);
            } catch (InvariantViolation e) {
                comparison.fail(what, e);
                rounds.drop(place -> true);
                return;
            } catch (SQLException | RuntimeException e) {
                rounds.drop(place -> place.point().equals(point));
                // After a stop, the failure is a consequence of the stop.
                if (!comparison.isStopped()) {
                    comparison.fail(what, e);
                }
            }
            if (comparison.isStopped()) {
                return;
            }
        }
    }

    private void run(int clients, Rounds rounds) throws SQLException {
        warmUp(clients);
        Random random = new Random();
        for (int round = 1; round <= timing.rounds() && !comparison.isStopped(); round++) {
            Collections.shuffle(turns, random);
            for (Turn turn : turns) {
                if (!comparison.isStopped()) {
                    rounds.add(turn.place(), round, slice(turn, clients));
                }
            }
            comparison.tell("    round " + round + " of " + timing.rounds());
        }
        checkSum(server, raises);
    }

    static void createTables(BenchmarkServer server) throws SQLException {
        Accounts.create(server, ROWS);
        JpaDoors.createTable(server, ROWS);
    }

    /** Fails unless the sum of the balances equals the number of committed raises. */
    static void checkSum(BenchmarkServer server, long raises) throws SQLException {
        long versioned = server.numbers("select sum(balance) from " + JpaDoors.VERSIONED)[0];
        new Accounts(server, ROWS).checkSum(raises - versioned);
    }

    private List<Turn> turns(Scenario scenario, Point point) {
        int writes = Integer.parseInt(point.params().getOrDefault("writes", "1"));
        JdbcDoors jdbc = new JdbcDoors(server, point.clients(), writes);
        JpaDoors jpa = new JpaDoors(server, jdbc.pool());
        Map<Variant, Door> doors = new HashMap<>();
        List<Turn> all = new ArrayList<>();
        for (Rounds.Place place : Comparison.turns(scenario, point, 1)) {
            Door door = doors.computeIfAbsent(
                    place.variant(),
                    variant -> JpaDoors.has(variant.door()) ? jpa.door(variant.door()) : jdbc.door(variant.door()));
            // A door that writes less often does less work, so its ratio would mislead.
            if (door.by() == writes) {
                all.add(new Turn(place, door));
            }
        }
        return all;
    }

    /**
     * Warms up with one client first, because many clients would leave the JIT compilers no processor. All clients then
     * fill the pools and the queues.
     */
    private void warmUp(int clients) throws SQLException {
        List<String> doors =
                turns.stream().map(turn -> turn.place().variant().door()).toList();
        pass(1, WARM.containsAll(doors) ? 1 : COMPILED_CHANGES);
        WARM.addAll(doors);
        pass(clients, WARM_CHANGES_PER_CLIENT * (long) clients);
    }

    /**
     * Repeats passes through all variants, at most {@link #MOST_PASSES}, until each variant has made enough changes and
     * the JIT compilers have finished.
     */
    private void pass(int clients, long least) throws SQLException {
        Map<Turn, Double> changes = new HashMap<>();
        for (int pass = 1; pass <= (Workload.warmsUp() ? MOST_PASSES : 1) && !comparison.isStopped(); pass++) {
            double compiled = Processors.compilerSeconds();
            long begun = System.nanoTime();
            for (Turn turn : turns) {
                changes.merge(turn, slice(turn, clients).figures().getOrDefault(COMPLETED, 0.0), Double::sum);
            }
            double share = (Processors.compilerSeconds() - compiled) / ((System.nanoTime() - begun) / 1e9);
            comparison.tell(String.format(
                    "    warm-up with %d client(s), pass %d: the compilers took %.2f of a processor",
                    clients, pass, share));
            if (share < COMPILED && changes.values().stream().allMatch(each -> each >= least)) {
                return;
            }
        }
    }

    private Measurement slice(Turn turn, int clients) throws SQLException {
        Meter meter = new Meter();
        Clients threads = new Clients(meter);
        turn.door().add(threads, clients, () -> Zipf.zipf(rows, zipf), meter);
        try {
            threads.start();
            long length = TimeUnit.MILLISECONDS.toNanos(timing.millis());
            pause((long) (SETTLING * length), threads);
            Window window = Window.open(server, threads::completed);
            meter.reset();
            pause(length, threads);
            Published results = window.end(threads.completed());
            meter.take(results);
            threads.stop();
            raises += threads.completed() * turn.door().by();
            results.put(COMPLETED, (double) threads.completed(), "");
            return Measurement.of(results, network.roundTripMillis());
        } catch (SQLException | RuntimeException e) {
            throw new SQLException(
                    "With the variant '" + turn.place().variant().label() + "': " + ServerFailures.describe(e), e);
        }
    }

    private static void pause(long nanos, Clients threads) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !threads.haveFailed(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
