package org.rowlock.jmh.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.BenchmarkResult;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.ServerErrors;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.BenchmarkSchema;
import org.rowlock.jmh.server.EmbeddedServer;
import org.rowlock.jmh.server.RunFile;
import org.rowlock.jmh.server.ServerFacts;

/**
 * Runs scenarios. In each round every variant has its turn at every point, in another order each time, and each in a JVM
 * of its own: neighbours in time are compared, so a machine that drifts moves all of them.
 *
 * <p>To be run once. {@link #stop} may be called by any thread.
 */
public final class Comparison {
    private final ComparisonSettings settings;
    private final Progress progress;
    private final Instant started = Instant.now();
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final Pace pace;
    private @Nullable ServerFacts facts;
    private volatile boolean stopped;
    private volatile boolean clean = true;

    public Comparison(ComparisonSettings settings, Progress progress) {
        this.settings = settings;
        this.progress = progress;
        this.pace = new Pace(settings.selections());
    }

    /** Runs everything. Failures of benchmarks are among the results. Stopped, it returns what is finished. */
    public RunResults run() {
        List<ScenarioResult> results = new ArrayList<>();
        List<Selection> selections = settings.selections();
        for (int i = 0; i < selections.size() && !stopped; i++) {
            progress.scenario(selections.get(i), i + 1, selections.size());
            ScenarioResult result = run(selections.get(i));
            if (!result.cells().isEmpty()) {
                results.add(result);
            }
        }
        return new RunResults(
                results,
                failures,
                settings.command(),
                started,
                Duration.between(started, Instant.now()),
                facts == null ? Map.of() : facts.description(),
                facts == null ? Map.of() : facts.settings(),
                Machine.describe());
    }

    /** Ends the forks; {@link #run} then cleans up and returns. */
    public void stop() {
        stopped = true;
        Forks.end();
    }

    private ScenarioResult run(Selection selection) {
        Results results = new Results(selection);
        try {
            ServerAddress given = settings.server();
            if (selection.scenario().needs().contains(Scenario.Need.NO_SERVER)) {
                runRounds(selection, new JmhRun(settings.forks(), null, null), results);
            } else if (given != null) {
                run(selection, given, results);
            } else {
                try (EmbeddedServer embedded = EmbeddedServer.start(embeddedSettings(selection))) {
                    run(selection, embedded.address(), results);
                }
            }
        } catch (SQLException | IOException | RuntimeException e) {
            fail(selection, "", e);
        }
        return results.toScenarioResult();
    }

    static Map<String, String> embeddedSettings(Selection selection) {
        Map<String, String> settings = new HashMap<>();
        int connections = Math.max(100, selection.connections() + 20);
        settings.put("max_connections", Integer.toString(connections));
        // Those of the selection on top of what the server has by default.
        settings.put("max_locks_per_transaction", Long.toString(64 + selection.locks() / connections));
        settings.putAll(selection.scenario().embeddedSettings());
        return settings;
    }

    private void run(Selection selection, ServerAddress address, Results results) throws SQLException, IOException {
        String run = UUID.randomUUID().toString();
        Path file = new RunFile(address, run).write();
        try (Connection connection = address.connect(BenchmarkSchema.applicationName(BenchmarkSchema.COMPARISON))) {
            facts = ServerFacts.of(connection);
            BenchmarkSchema.refuseAnothers(connection);
            // An embedded server that is to be killed is the fork's own, so that no crash leaves anything to the next.
            boolean untold =
                    settings.server() == null && selection.scenario().needs().contains(Scenario.Need.MAY_BE_KILLED);
            Path told = untold ? null : file;
            RunFile.setForThisJvm(settings.forks() == 0 ? told : null);
            runRounds(selection, new JmhRun(settings.forks(), told, settings.crashCommand()), results);
        } finally {
            RunFile.setForThisJvm(null);
            Files.deleteIfExists(file);
            drop(selection, address, run);
        }
    }

    /** Hides no failure of the run. What an embedded server has goes with it. */
    private void drop(Selection selection, ServerAddress address, String run) {
        try (Connection connection = address.connect(BenchmarkSchema.applicationName(BenchmarkSchema.COMPARISON))) {
            BenchmarkSchema.drop(connection, run);
        } catch (SQLException e) {
            if (settings.server() != null) {
                clean = false;
                fail(
                        selection,
                        "clean-up",
                        new UserError("The schema " + BenchmarkSchema.NAME + " may be left at " + address
                                + ", as the server could not be asked to drop it: " + ServerErrors.describe(e)
                                + " Run there: drop schema if exists " + BenchmarkSchema.NAME + " cascade"));
            }
        }
    }

    /** Whether everything that was created is removed again, as far as the run has come. */
    public boolean isClean() {
        return clean;
    }

    private void runRounds(Selection selection, JmhRun jmh, Results results) {
        Set<String> failed = new HashSet<>();
        for (int round = 1; round <= selection.rhythm().rounds(); round++) {
            for (Point point : selection.points()) {
                for (String variant : inTurn(selection.variants(), round)) {
                    if (!failed.contains(variant) && !stopped) {
                        progress.begins(selection, point, variant, round);
                        try {
                            BenchmarkResult result = jmh.run(selection, point, variant);
                            results.add(point, variant, result);
                            pace.ended(selection);
                            Cell cell = new Cell(point, variant, List.of(result));
                            progress.ended(selection, cell, round, pace.done(), pace.left());
                        } catch (JmhRun.Failure failure) {
                            if (!stopped) {
                                failed.add(variant);
                                results.drop(variant);
                                fail(selection, variant, failure);
                            }
                        }
                    }
                }
            }
        }
    }

    /** Each round begins with another variant. */
    private static List<String> inTurn(List<String> variants, int round) {
        List<String> turned = new ArrayList<>(variants);
        Collections.rotate(turned, 1 - round);
        return turned;
    }

    private void fail(Selection selection, String variant, Exception failure) {
        String message = String.valueOf(failure.getMessage());
        String name = selection.scenario().name() + (variant.isEmpty() ? "" : ", " + variant);
        failures.put(name, message);
        progress.failed(selection.scenario(), variant, message);
    }
}
