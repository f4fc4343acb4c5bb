package org.rowlock.jmh.run;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.InvariantViolation;
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
import org.rowlock.tool.UserError;

/**
 * Runs scenarios. Each round measures every variant under every set of conditions (point). Each measurement is called a
 * turn and runs in a new JVM. At each point of a round, the baseline has two turns, the first and the last. Every
 * second round runs backwards, so a drift of the machine affects all variants alike. The order changes after each pair
 * of rounds, so no variant always follows the same other variant.
 */
public final class Comparison extends BenchmarkRun {
    /** The number of consecutive failures after which a variant is left out. */
    private static final int MOST_FAILURES = 3;

    private static final int SPARE_CONNECTIONS = 30;

    /**
     * The time limit for a fork to close its connections and drop the schema. After the limit the fork is killed, and
     * this JVM drops the schema.
     */
    private static final long GRACE_SECONDS = 15;

    /**
     * The largest number of disturbed turns that are repeated. If more turns are disturbed, repetition does not help.
     */
    private static final int MOST_REPEATED = 20;

    private final Consumer<String> progress;
    private final Pace pace;
    private Map<String, String> standby = Map.of();
    private int repeated;

    /**
     * @param progress receives a line for each scenario that begins and each turn that succeeds
     */
    public Comparison(ComparisonSettings settings, Consumer<String> progress, Consumer<String> troubles) {
        super(settings, troubles);
        this.progress = progress;
        this.pace = new Pace(settings.scenarios());
    }

    @Override
    protected List<Rounds> measure() {
        RunDirectory.removeLeftovers();
        List<Rounds> measured = new ArrayList<>();
        List<Scenario> scenarios = settings.scenarios();
        for (int i = 0; i < scenarios.size() && !stopped; i++) {
            Scenario scenario = scenarios.get(i);
            progress.accept("[" + (i + 1) + "/" + scenarios.size() + "] " + scenario.name() + ": " + scenario.title());
            measured.add(run(scenario));
        }
        return measured;
    }

    /**
     * Ends the JVMs that JMH has started, whereupon {@link #run} cleans up and returns. JMH does not expose its JVMs,
     * so this method finds them among the child processes, by the name of their program.
     */
    @Override
    public void stop() {
        super.stop();
        List<ProcessHandle> forks = ProcessHandle.current()
                .children()
                .filter(child -> child.info()
                        .command()
                        .filter(command ->
                                Path.of(command).getFileName().toString().startsWith("java"))
                        .isPresent())
                .toList();
        forks.forEach(ProcessHandle::destroy);
        for (ProcessHandle fork : forks) {
            fork.onExit()
                    .completeOnTimeout(fork, GRACE_SECONDS, TimeUnit.SECONDS)
                    .join();
            fork.destroyForcibly();
        }
    }

    private Rounds run(Scenario scenario) {
        Rounds rounds = roundsOf(scenario);
        try {
            ServerAddress given = settings.server();
            if (given != null) {
                run(scenario, given, rounds);
            } else {
                runEmbedded(scenario, rounds);
            }
        } catch (SQLException | IOException | RuntimeException e) {
            fail(scenario.name(), e);
        }
        return rounds;
    }

    private void runEmbedded(Scenario scenario, Rounds rounds) throws SQLException, IOException {
        Map<String, String> own = embeddedSettings(scenario);
        Double standbyMillis = settings.standbyMillis();
        try (EmbeddedServer embedded = EmbeddedServer.start(own);
                EmbeddedStandby behind =
                        standbyMillis == null ? null : EmbeddedStandby.start(embedded, own, standbyMillis)) {
            standby = behind == null ? Map.of() : Map.of("standby", behind.description());
            run(scenario, embedded.address(), rounds);
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

    private void run(Scenario scenario, ServerAddress address, Rounds rounds) throws SQLException, IOException {
        String run = UUID.randomUUID().toString();
        Path file = new RunFile(address, run, settings.own()).write();
        try (Connection connection = address.connect(BenchmarkSchema.applicationName(BenchmarkSchema.COMPARISON))) {
            describe(ServerFacts.of(connection), standby);
            BenchmarkSchema.removeLeftovers(connection);
            RunFile.setForThisJvm(settings.forks() == 0 ? file : null);
            runRounds(scenario, new JmhRun(settings.forks(), file), rounds);
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

    private void runRounds(Scenario scenario, JmhRun jmh, Rounds rounds) {
        Map<Variant, Integer> failed = new HashMap<>();
        int planned = scenario.timing().rounds();
        for (int round = 1; round <= planned && !stopped; round++) {
            for (Point point : scenario.points()) {
                for (Rounds.Place place : turns(scenario, point, round)) {
                    if (failed.getOrDefault(place.variant(), 0) < MOST_FAILURES && !stopped) {
                        int failures = run(scenario, jmh, rounds, place, round);
                        failed.merge(place.variant(), failures, (before, more) -> more == 0 ? 0 : before + more);
                    }
                }
            }
        }
    }

    /**
     * Runs one turn, and returns the number of failures to count. If locks failed to exclude other transactions, the
     * number is so large that the variant is left out.
     */
    private int run(Scenario scenario, JmhRun jmh, Rounds rounds, Rounds.Place place, int round) {
        Variant variant = place.variant();
        String what = String.format(
                "%d/%d  %s, %s%s",
                round,
                scenario.timing().rounds(),
                place.point().label(),
                variant.label(),
                place.again() ? " again" : "");
        try {
            Measurement measured = jmh.run(scenario, place.point(), variant);
            double others = Limit.othersShare(measured.figures());
            if (others > Answer.MOST_OF_OTHERS && repeated < MOST_REPEATED && !stopped) {
                repeated++;
                progress.accept(String.format("  %-46s other programs took %.0f %%; repeated", what, 100 * others));
                measured = jmh.run(scenario, place.point(), variant);
            }
            rounds.add(place, round, measured);
            pace.ended(scenario, place.point());
            String shown = scenario.headline().shown(measured.of(scenario.headline()));
            progress.accept(String.format("  %-46s %12s  %s left", what, shown, Pace.text(pace.left())));
            return 0;
        } catch (RunnerException e) {
            Throwable failure = JmhRun.cause(e);
            boolean isViolation = failure instanceof InvariantViolation;
            if (stopped && !isViolation) {
                return 0;
            }
            fail(scenario.name() + ", " + variant.label() + ", round " + round, failure);
            if (isViolation) {
                // The earlier measurements of the variant are invalid too.
                rounds.drop(variant);
                return MOST_FAILURES;
            }
            return 1;
        }
    }
}
