package org.rowlock.jmh.run;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.BenchmarkSchema;
import org.rowlock.jmh.server.EmbeddedServer;
import org.rowlock.jmh.server.EmbeddedStandby;
import org.rowlock.jmh.server.RunDirectory;
import org.rowlock.jmh.server.RunFile;
import org.rowlock.jmh.server.ServerFacts;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.Texts;
import org.rowlock.tool.UserError;

/**
 * Runs scenarios. Each round measures every variant under every set of conditions (point); a measurement is called a
 * turn. A failure or a stop loses only unfinished turns, unless a lock has failed to exclude other transactions. An
 * instance can run only once. Any thread can call {@link #stop}.
 */
public final class Comparison {
    private static final long SEED = 20_261;

    private static final int SPARE_CONNECTIONS = 30;

    /**
     * The largest number of disturbed turns that are repeated. If more turns are disturbed, repetition does not help.
     */
    private static final int MOST_REPEATED = 20;

    private final ComparisonSettings settings;
    private final Consumer<String> progress;
    private final Consumer<String> troubles;
    private final Pace pace;
    private final Instant started = Instant.now();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, String> server = new LinkedHashMap<>();
    private Map<String, String> serverSettings = Map.of();
    private int repeated;
    private volatile boolean stopped;
    private volatile String left = "";

    /**
     * @param progress receives a line for each scenario that begins and each turn that succeeds
     * @param troubles receives a line for each failure
     */
    public Comparison(ComparisonSettings settings, Consumer<String> progress, Consumer<String> troubles) {
        this.settings = settings;
        this.progress = progress;
        this.troubles = troubles;
        this.pace = new Pace(settings.scenarios());
    }

    /** Measures until the end or a stop, and returns the valid measurements. */
    public Results run() {
        RunDirectory.removeLeftovers();
        List<ScenarioResult> results = new ArrayList<>();
        List<String> remarks = new ArrayList<>(settings.remarks());
        List<Scenario> scenarios = settings.scenarios();
        int comparisons = scenarios.stream().mapToInt(Scenario::comparisons).sum();
        for (int i = 0; i < scenarios.size() && !stopped; i++) {
            Scenario scenario = scenarios.get(i);
            tell("[" + (i + 1) + "/" + scenarios.size() + "] " + scenario.name() + ": " + scenario.title());
            Rounds rounds = new Rounds(scenario, comparisons);
            try {
                run(scenario, rounds);
            } catch (SQLException | IOException | RuntimeException e) {
                fail(scenario.name(), e);
            }
            if (!rounds.isEmpty()) {
                results.add(rounds.compare());
                remarks.addAll(rounds.remarks());
            }
        }
        if (stopped) {
            failures.add("The run was stopped early, and the report has only the finished part.");
        }
        return new Results(
                Answer.of(results),
                Call.RULES,
                Answer.words(results),
                settings.program(),
                started.toString(),
                Duration.between(started, Instant.now()).toSeconds(),
                settings.command(),
                Machine.describe(),
                server,
                serverSettings,
                results,
                failures,
                remarks);
    }

    /** Ends the turn that runs, whereupon {@link #run} cleans up and returns. */
    public void stop() {
        stopped = true;
        JmhRun.endForks();
    }

    boolean isStopped() {
        return stopped;
    }

    /** Returns a message that names what the run could not remove and how to remove it; empty if nothing is left. */
    public String left() {
        return left;
    }

    void tell(String line) {
        progress.accept(line);
    }

    boolean mayRepeat() {
        return !stopped && repeated++ < MOST_REPEATED;
    }

    /** Returns the estimated time left after a turn. */
    String ended(Scenario scenario) {
        pace.ended(scenario);
        return Pace.text(pace.left());
    }

    void fail(String what, Throwable failure) {
        String said = String.valueOf(failure.getMessage()).strip();
        String message = (failure.getMessage() == null || said.isEmpty()
                        ? failure.getClass().getName()
                        : said)
                .lines()
                .map(Texts::printable)
                .collect(Collectors.joining(System.lineSeparator()));
        failures.add(what + ": " + message);
        troubles.accept("FAILED " + what + ": " + message);
    }

    /**
     * Returns the turns of a round. The baseline is first and last, and every second round runs backwards, so a drift
     * of the machine affects all variants alike. The order changes after each pair of rounds, so no variant always
     * follows the same other variant.
     */
    static List<Rounds.Place> turns(Scenario scenario, Point point, int round) {
        List<Variant> others = new ArrayList<>(
                scenario.variants().subList(1, scenario.variants().size()));
        Collections.shuffle(others, new Random(SEED + (round - 1) / 2));
        List<Rounds.Place> turns = new ArrayList<>();
        turns.add(new Rounds.Place(point, scenario.baseline(), false));
        others.forEach(variant -> turns.add(new Rounds.Place(point, variant, false)));
        turns.add(new Rounds.Place(point, scenario.baseline(), true));
        if (round % 2 == 0) {
            Collections.reverse(turns);
        }
        return turns;
    }

    private void run(Scenario scenario, Rounds rounds) throws SQLException, IOException {
        ServerAddress given = settings.server();
        if (given != null) {
            run(scenario, rounds, given, Map.of());
            return;
        }
        Map<String, String> own = embeddedSettings(scenario);
        Double standbyMillis = settings.standbyMillis();
        try (EmbeddedServer embedded = EmbeddedServer.start(own);
                EmbeddedStandby standby =
                        standbyMillis == null ? null : EmbeddedStandby.start(embedded, own, standbyMillis)) {
            run(
                    scenario,
                    rounds,
                    embedded.address(),
                    standby == null ? Map.of() : Map.of("standby", standby.description()));
        }
    }

    /** Returns settings that give an embedded server enough connections and lock table entries for the scenario. */
    static Map<String, String> embeddedSettings(Scenario scenario) {
        Map<String, String> all = new HashMap<>();
        int connections =
                scenario.points().stream().mapToInt(Point::connections).max().orElse(0);
        long locks = scenario.points().stream().mapToLong(Point::locks).max().orElse(0);
        int allowed = Math.max(100, connections + SPARE_CONNECTIONS);
        all.put("max_connections", Integer.toString(allowed));
        // 128 is the default of the newest PostgreSQL. The locks of the scenario are added.
        all.put("max_locks_per_transaction", Long.toString(128 + locks / allowed));
        all.putAll(scenario.settings());
        return all;
    }

    private void run(Scenario scenario, Rounds rounds, ServerAddress address, Map<String, String> standby)
            throws SQLException, IOException {
        String run = UUID.randomUUID().toString();
        Path file = new RunFile(address, run, settings.own()).write();
        try (Connection connection = address.connect(BenchmarkSchema.applicationName(BenchmarkSchema.COMPARISON))) {
            ServerFacts facts = ServerFacts.of(connection);
            server.putAll(facts.described());
            server.putAll(standby);
            serverSettings = facts.settings();
            BenchmarkSchema.removeLeftovers(connection);
            RunFile.setForThisJvm(file);
            if (scenario.sharesJvm()) {
                DoorRun.run(this, scenario, rounds);
            } else {
                new JmhRun(this, scenario, rounds, settings.forks(), file).run();
            }
        } finally {
            RunFile.setForThisJvm(null);
            RunFile.delete(file);
            drop(scenario, address, run);
        }
    }

    /**
     * Drops the schema on the user's server. A failure to drop does not hide a failure of the run. An embedded server
     * is deleted as a whole, because without its standby it may be unable to commit the drop.
     */
    private void drop(Scenario scenario, ServerAddress address, String run) {
        if (settings.server() == null) {
            return;
        }
        try (Connection connection = address.connect(BenchmarkSchema.applicationName(BenchmarkSchema.COMPARISON))) {
            BenchmarkSchema.drop(connection, run);
        } catch (SQLException e) {
            UserError error = BenchmarkSchema.left(address, e);
            left = String.valueOf(error.getMessage());
            fail(scenario.name() + ", clean-up", error);
        }
    }
}
