package org.rowlock.jmh.doors;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.bench.Accounts;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.JdbcDoors;
import org.rowlock.jmh.net.Network;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.ServerFacts;

/**
 * Compares variants of one transaction (doors). At each point, all variants run in slices of at most a second, in a new
 * random order each round. A disturbance of the machine therefore affects all variants alike. Not thread-safe.
 */
public final class DoorRun {
    private static final int ROWS = 100;

    /** The number of changes that make the optimizing compiler compile the code of a variant. */
    private static final int COMPILED_CHANGES = 5_000;

    /** The number of warm-up changes per client, enough to open all connections. */
    private static final int WARM_CHANGES_PER_CLIENT = 15;

    /** The share of a processor, in a pass through all variants, below which the JIT compilers have finished. */
    private static final double COMPILED = 0.05;

    private final DoorSettings settings;
    private final Consumer<String> progress;
    private final Random random = new Random();
    private final DoorResults results = new DoorResults();
    private volatile boolean stopped;
    private volatile String left = "";

    private boolean isCompiled;

    private @Nullable ServerFacts facts;

    public DoorRun(DoorSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /** The names of all variants, in the order of the report. */
    public static List<String> names() {
        return Stream.concat(JdbcDoors.NAMES.stream(), JpaDoors.NAMES.stream()).toList();
    }

    /**
     * Runs all points.
     *
     * @throws org.rowlock.jmh.bench.InvariantViolation if a change was lost or made twice, in which case there are no
     *     results
     */
    public List<ScenarioResult> run() throws SQLException {
        for (double roundTrip : settings.roundTrips()) {
            for (int rows : settings.rows()) {
                for (int clients : settings.clients()) {
                    if (stopped) {
                        return results.scenarios();
                    }
                    String label = clients
                            + (clients == 1 ? " client" : " clients")
                            + (rows == 1 ? ", one row" : "")
                            + (roundTrip == 0 ? "" : ", " + roundTrip + " ms");
                    progress.accept(label);
                    runPoint(label, clients, rows, roundTrip);
                }
            }
        }
        return results.scenarios();
    }

    /** Makes {@link #run} clean up and return the finished points. Any thread can call this method. */
    public void stop() {
        stopped = true;
    }

    /** Returns a message that names what the run could not remove and how to remove it; empty if nothing is left. */
    public String left() {
        return left;
    }

    public Map<String, String> server() {
        return facts == null ? Map.of() : facts.described();
    }

    public Map<String, String> serverSettings() {
        return facts == null ? Map.of() : facts.settings();
    }

    public String answer() {
        return results.answer();
    }

    private void runPoint(String label, int clients, int rows, double roundTripMillis) throws SQLException {
        Crowd crowd = new Crowd(clients, rows);
        BenchmarkServer server = open();
        try (server) {
            Network network = server.over(roundTripMillis);
            createTables(server);
            List<Measured> doors = doors(server, clients);
            try (Connection connection = server.connectDirectly()) {
                facts = ServerFacts.of(connection);
                Processors processors = Processors.of(connection);
                long raises = warmUp(doors, crowd, clients, processors);
                for (int round = 1; round <= settings.rounds() && !stopped; round++) {
                    List<Measured> turns = new ArrayList<>(doors);
                    Collections.shuffle(turns, random);
                    for (Measured measured : turns) {
                        if (stopped) {
                            break;
                        }
                        Crowd.Sliced slice = slice(measured, crowd, measured.latencies(), processors);
                        measured.slices().put(round, slice);
                        raises += slice.completed() * measured.door().by();
                    }
                    progress.accept("  round " + round + " of " + settings.rounds());
                }
                checkSum(server, raises);
            }
            if (stopped) {
                return;
            }
            results.add(label, network.roundTripMillis(), doors, progress);
        } finally {
            left = server.left();
        }
    }

    private BenchmarkServer open() throws SQLException {
        return settings.server() != null
                ? BenchmarkServer.open(settings.server())
                : BenchmarkServer.open(Map.of("max_connections", Integer.toString(settings.connections() + 30)));
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

    /** Fails unless the sum of the balances equals the number of raises reported as committed. */
    static void checkSum(BenchmarkServer server, long raises) throws SQLException {
        long versioned = server.numbers("select sum(balance) from " + JpaDoors.VERSIONED)[0];
        new Accounts(server, ROWS).checkSum(raises - versioned);
    }

    private List<Measured> doors(BenchmarkServer server, int clients) {
        JdbcDoors jdbc = new JdbcDoors(server, clients, settings.writes());
        List<Measured> measured = measured(Measured.JDBC, JdbcDoors.NAMES, jdbc::door);
        if (settings.doors().stream().anyMatch(JpaDoors.NAMES::contains)) {
            measured.addAll(measured(Measured.JPA, JpaDoors.NAMES, new JpaDoors(server, jdbc.pool())::door));
        }
        return measured;
    }

    /**
     * Returns the selected variants of a family. The first variant is the baseline of the ratios. The baseline always
     * runs, and runs twice for comparison with itself.
     */
    private List<Measured> measured(String family, List<String> names, Function<String, Door> doors) {
        Door first = doors.apply(names.get(0));
        List<Measured> measured = new ArrayList<>();
        measured.add(new Measured(family, first, true, false));
        measured.add(new Measured(family, first, false, true));
        names.stream()
                .skip(1)
                .filter(settings.doors()::contains)
                .forEach(name -> measured.add(new Measured(family, doors.apply(name), false, false)));
        return measured;
    }

    /**
     * Warms up with one client first, because many clients would leave the JIT compilers no processor. All clients then
     * fill the pools and the queues.
     */
    private long warmUp(List<Measured> doors, Crowd crowd, int clients, Processors processors) throws SQLException {
        long crowdChanges = WARM_CHANGES_PER_CLIENT * (long) clients;
        long raises = pass(doors, new Crowd(1, crowd.rows()), isCompiled ? 1 : COMPILED_CHANGES, processors);
        return raises + pass(doors, crowd, crowdChanges, processors);
    }

    /** Repeats passes through all variants until each has made enough changes and the JIT compilers have finished. */
    private long pass(List<Measured> doors, Crowd crowd, long least, Processors processors) throws SQLException {
        long raises = 0;
        IdentityHashMap<Measured, Long> changes = new IdentityHashMap<>();
        for (int pass = 1; pass <= settings.warmUps() && !stopped; pass++) {
            double compiled = Processors.compilerSeconds();
            long begun = System.nanoTime();
            for (Measured door : doors) {
                Crowd.Latencies unused = new Crowd.Latencies();
                long more = slice(door, crowd, unused, processors).completed();
                changes.merge(door, more, Long::sum);
                raises += more * door.door().by();
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

    private Crowd.Sliced slice(Measured door, Crowd crowd, Crowd.Latencies latencies, Processors processors)
            throws SQLException {
        try {
            return crowd.slice(door.door(), settings.slice(), latencies, processors);
        } catch (SQLException e) {
            throw new SQLException("With the variant '" + door.door().label() + "': " + e.getMessage(), e);
        }
    }
}
