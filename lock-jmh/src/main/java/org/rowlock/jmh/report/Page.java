package org.rowlock.jmh.report;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.rowlock.jmh.report.Failures.Failure;
import org.rowlock.jmh.report.Finding.Outcome;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;

/**
 * What the template of the page shows; its names are those of the template.
 *
 * @param answerCss class of the verdict over all
 */
record Page(
        String answer,
        String answerCss,
        List<Advice.Reason> reasons,
        List<Call> calls,
        List<Extreme> gained,
        List<Extreme> lost,
        List<Failure> failures,
        boolean violation,
        List<Section> sections,
        List<LeverSection> levers,
        List<VariantMark> key,
        List<LockLayers.Layer> layers,
        List<String> strategies,
        Facts facts) {

    /** A line of the table "for which tables". */
    record Call(String tables, String name, String kind, String css, List<Why> why) {}

    /** A reason, with the swatch of the variant it is about if it is about one. */
    record Why(String lead, String css, String words) {}

    /** The most that is gained or lost in a scenario. */
    record Extreme(String variant, String css, String words, String name) {}

    /** When, where, and how. */
    record Facts(
            String started, String took, String command, List<Fact> server, List<Fact> settings, List<Fact> machine) {}

    /** A label and its value. */
    record Fact(String label, String value) {}

    /** A scenario. */
    record Section(
            String name,
            String title,
            String question,
            String published,
            String kind,
            String css,
            List<String> sentences,
            List<Balance> balances,
            List<String> remarks,
            List<Figure> figures,
            Table headline,
            List<Table> tables,
            String rhythm) {
        boolean hasTables() {
            return !tables.isEmpty();
        }
    }

    /** The two levers of a scenario. */
    record LeverSection(String name, String title, String words, Figure figure, Table table) {}

    boolean hasFailures() {
        return !failures.isEmpty();
    }

    boolean hasLevers() {
        return !levers.isEmpty();
    }

    boolean hasCalls() {
        return !calls.isEmpty();
    }

    static Page of(RunResults results, Charts charts) {
        OverallVerdict verdict = OverallVerdict.of(results);
        Failures failures = Failures.of(results);
        List<LeverSection> levers = results.results().stream()
                .map(Levers::of)
                .flatMap(Optional::stream)
                .map(found -> levers(found, charts))
                .toList();
        return new Page(
                verdict.answer().words(),
                css(verdict.answer()),
                verdict.reasons(),
                verdict.advices().stream().map(advice -> call(advice, charts)).toList(),
                extremes(verdict.gained(), charts),
                extremes(verdict.lost(), charts),
                failures.all(),
                failures.hasViolation(),
                results.results().stream()
                        .map(result -> section(result, charts))
                        .toList(),
                levers,
                results.results().stream()
                        .flatMap(result -> result.variants().stream())
                        .distinct()
                        .map(charts.marks()::of)
                        .toList(),
                LockLayers.of(results),
                LockLayers.strategies(),
                facts(results));
    }

    private static Call call(Advice advice, Charts charts) {
        return new Call(
                TableKinds.of(advice.result().scenario()),
                advice.result().scenario().name(),
                advice.kind().words(),
                css(advice.kind()),
                advice.reasons().stream()
                        .map(reason -> new Why(
                                reason.lead(),
                                advice.result().variants().contains(reason.lead())
                                        ? charts.marks().of(reason.lead()).css()
                                        : "",
                                reason.words()))
                        .toList());
    }

    private static List<Extreme> extremes(List<Finding> findings, Charts charts) {
        return findings.stream()
                .map(finding -> new Extreme(
                        finding.variant(),
                        charts.marks().of(finding.variant()).css(),
                        finding.wordsAt(),
                        finding.result().scenario().name()))
                .toList();
    }

    private static LeverSection levers(Levers levers, Charts charts) {
        return new LeverSection(
                levers.result().scenario().name(),
                levers.result().scenario().title(),
                levers.words(),
                LeverCharts.of(charts, levers),
                Tables.levers(charts.marks(), levers));
    }

    private static Section section(ScenarioResult result, Charts charts) {
        ScenarioVerdict verdict = ScenarioVerdict.of(result);
        List<Table> tables = new ArrayList<>();
        for (Metric metric : result.scenario().metrics()) {
            if (!Charts.variantsWith(result, metric.key()).isEmpty()) {
                tables.add(Tables.metric(charts.marks(), result, metric));
            }
        }
        Metric headline = result.scenario().headline();
        Table first = Tables.metric(charts.marks(), result, headline);
        tables.remove(first);
        return new Section(
                result.scenario().name(),
                result.scenario().title(),
                result.scenario().question(),
                result.scenario().published(),
                verdict.kind().words(),
                css(verdict.kind()),
                verdict.sentences(),
                List.of(
                        Balance.of(charts.marks(), result, Outcome.GAIN),
                        Balance.of(charts.marks(), result, Outcome.LOSS)),
                result.remarks(),
                charts.of(result),
                first,
                tables,
                rhythm(result));
    }

    /** How often and how long, as it was run. */
    private static String rhythm(ScenarioResult result) {
        int rounds = result.cells().stream()
                .mapToInt(cell -> cell.rounds().size())
                .max()
                .orElse(0);
        return Words.count(rounds, "round", "rounds") + " of each variant at each point, in turn";
    }

    private static Facts facts(RunResults results) {
        return new Facts(
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)
                        .withZone(ZoneOffset.UTC)
                        .format(results.started()),
                Numbers.duration(results.took()),
                results.command(),
                facts(results.server()),
                facts(results.settings()),
                facts(results.machine()));
    }

    private static List<Fact> facts(Map<String, String> facts) {
        return facts.entrySet().stream()
                .map(fact -> new Fact(fact.getKey(), fact.getValue()))
                .toList();
    }

    private static String css(OverallVerdict.Answer answer) {
        return switch (answer) {
            case YES -> "good";
            case PARTLY, ADMISSION -> "mixed";
            case NO, VIOLATED -> "bad";
            case SAME, UNSETTLED -> "even";
        };
    }

    private static String css(Advice.Kind kind) {
        return switch (kind) {
            case MOVE -> "good";
            case DEPENDS, ADMISSION -> "mixed";
            case STAY -> "bad";
            case SAME, UNKNOWN -> "even";
        };
    }

    private static String css(ScenarioVerdict.Kind kind) {
        return switch (kind) {
            case GAIN -> "good";
            case MIXED -> "mixed";
            case LOSS -> "bad";
            case SAME, ONE_ROUND, UNKNOWN -> "even";
        };
    }
}
