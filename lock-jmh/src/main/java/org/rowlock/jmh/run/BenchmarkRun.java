package org.rowlock.jmh.run;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.ServerFacts;
import org.rowlock.tool.Texts;

/**
 * A run of scenarios. A failure or a stop loses only unfinished measurements, unless a lock has failed to exclude other
 * transactions. An instance can run only once. Any thread can call {@link #stop}.
 */
public abstract class BenchmarkRun {
    private static final long SEED = 20_261;

    protected final ComparisonSettings settings;
    protected volatile boolean stopped;

    protected volatile String left = "";

    private final Consumer<String> troubles;
    private final Instant started = Instant.now();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, String> server = new LinkedHashMap<>();
    private Map<String, String> serverSettings = Map.of();

    protected BenchmarkRun(ComparisonSettings settings, Consumer<String> troubles) {
        this.settings = settings;
        this.troubles = troubles;
    }

    /** Measures until the end or a stop, and returns the valid measurements. Passes each failure to {@link #fail}. */
    protected abstract List<Rounds> measure();

    public final Results run() {
        List<ScenarioResult> results = new ArrayList<>();
        List<String> remarks = new ArrayList<>(settings.remarks());
        for (Rounds rounds : measure()) {
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

    /** Returns the turns of a round. The baseline is first and last, and every second round runs backwards. */
    protected static List<Rounds.Place> turns(Scenario scenario, Point point, int round) {
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

    protected final Rounds roundsOf(Scenario scenario) {
        return new Rounds(scenario, comparisons(settings.scenarios()));
    }

    private static int comparisons(List<Scenario> scenarios) {
        return Math.max(
                1,
                scenarios.stream()
                        .mapToInt(each -> each.points().size()
                                * (int) each.variants().stream()
                                        .filter(variant -> !variant.isControl() && !variant.equals(each.baseline()))
                                        .count())
                        .sum());
    }

    /** Makes {@link #run} clean up and return the results of the finished part. */
    public void stop() {
        stopped = true;
    }

    /** Returns a message that names what the run could not remove and how to remove it; empty if nothing is left. */
    public final String left() {
        return left;
    }

    protected final void describe(ServerFacts facts, Map<String, String> more) {
        server.putAll(facts.described());
        server.putAll(more);
        serverSettings = facts.settings();
    }

    protected final void fail(String what, Throwable failure) {
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
}
