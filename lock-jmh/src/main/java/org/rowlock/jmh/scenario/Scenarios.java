package org.rowlock.jmh.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.scenario.Metric.Better;
import org.rowlock.jmh.scenario.Scenario.Brief;
import org.rowlock.tool.Texts;

/**
 * All scenarios. Their definitions are in scenarios.md, whose first comment describes the format.
 */
public final class Scenarios {
    private static final String BENCHMARKS = "org.rowlock.jmh.bench.";
    private static final String RUN = "    ";
    private static final Pattern STRATEGY = Pattern.compile("[A-Z][A-Z_0-9]+");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private final List<Point> points = new ArrayList<>();
    private final List<Variant> variants = new ArrayList<>();
    private final List<Metric> metrics = new ArrayList<>();
    private final Map<String, String> settings = new HashMap<>();
    private String benchmark = "";
    private Timing timing = Timing.USUAL;
    private boolean kills;
    private @Nullable Brief brief;

    private static final List<Scenario> ALL = scenarios(Texts.resource(Scenarios.class, "scenarios.md"));

    private Scenarios() {}

    /** Returns all scenarios, in the order in which {@code compare} lists and runs them. */
    public static List<Scenario> all() {
        return ALL;
    }

    public static Optional<Scenario> named(String name) {
        return ALL.stream().filter(scenario -> scenario.name().equals(name)).findFirst();
    }

    /**
     * Returns the scenario for the user's own statement.
     *
     * @param work the work between the lock and the commit, in words
     * @param choice the choice of the keys, in words
     */
    public static Scenario own(String table, String statement, String work, String choice) {
        return scenarios(Texts.resource(Scenarios.class, "own.md")
                        .replace("{table}", table)
                        .replace("{work}", work)
                        .replace("{choice}", choice)
                        .replace("{statement}", statement))
                .get(0);
    }

    private static List<Scenario> scenarios(String text) {
        return Arrays.stream(text.split("(?m)^## ", -1))
                .skip(1)
                .map(section -> scenario(section.strip()))
                .toList();
    }

    private static Scenario scenario(String text) {
        String[] paragraphs = text.split("\n\n", -1);
        Scenarios run = new Scenarios();
        paragraphs[paragraphs.length - 1]
                .lines()
                .forEach(line -> run.add(line.strip().split("\\s{2,}", -1)));
        return new Scenario(
                paragraphs[0],
                words(paragraphs[1]),
                words(paragraphs[2]),
                paragraphs[3].startsWith(RUN) ? "" : words(paragraphs[3]).replaceFirst("^Published: ", ""),
                text,
                benchmark(run.benchmark),
                run.points,
                run.variants,
                run.metrics,
                run.timing,
                run.settings,
                run.kills,
                run.brief);
    }

    private static Class<?> benchmark(String name) {
        try {
            return Class.forName(BENCHMARKS + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("scenarios.md names a benchmark that does not exist: " + name, e);
        }
    }

    private static String words(String paragraph) {
        return paragraph.replace('\n', ' ');
    }

    private void add(String... row) {
        switch (row[0]) {
            case "benchmark" -> benchmark = row[1];
            case "clients" ->
                Stream.of(row[1].split(", ", -1))
                        .map(Integer::valueOf)
                        .map(Point::clients)
                        .forEach(points::add);
            case "point" -> points.add(point(row));
            case "variants" ->
                Stream.of(row[1].split("; ", -1))
                        .map(label -> variant(row[0], label))
                        .forEach(variants::add);
            case "variant", "control" -> variants.add(variant(row));
            case "metric" ->
                metrics.add(new Metric(
                        row[2],
                        row[1],
                        row.length == 3 ? "ms" : row[3].replace("-", ""),
                        row.length == 3 ? Better.LOWER : Better.valueOf(row[4].toUpperCase(Locale.ROOT))));
            case "timing" -> timing = timing(row[1]);
            case "default" ->
                brief = new Brief(
                        row[1],
                        Stream.of(row[2].split(", ", -1)).map(Double::valueOf).toList(),
                        List.of(row[3].split("; ", -1)),
                        timing(row[4]));
            case "setting" -> settings.putAll(params(row[1]));
            case "kills" -> kills = true;
            default -> throw new IllegalStateException("scenarios.md has no rows of " + row[0]);
        }
    }

    private static Point point(String... row) {
        Map<String, String> params = params(row[2]);
        int clients = Integer.parseInt(params.getOrDefault(Point.CLIENTS, "1"));
        Map<String, String> takes = row.length > 3 ? params(row[3]) : Map.of();
        return new Point(
                row[1],
                params,
                Integer.parseInt(takes.getOrDefault("connections", "" + clients)),
                Long.parseLong(takes.getOrDefault("locks", "" + clients)));
    }

    private static Variant variant(String... row) {
        Variant named = new Variant(row[1], row.length > 2 ? params(row[2]) : Map.of(), row[0].equals("control"));
        Matcher strategy = STRATEGY.matcher(row[1]);
        Variant locking = strategy.lookingAt() ? named.with(Variant.STRATEGY, strategy.group()) : named;
        return row[1].endsWith(Variant.ADMITTED) ? locking.with(Variant.ADMISSION, "true") : locking;
    }

    private static Timing timing(String text) {
        int[] numbers = NUMBER.matcher(text)
                .results()
                .mapToInt(number -> Integer.parseInt(number.group()))
                .toArray();
        return new Timing(numbers[0], numbers[1], numbers[2], numbers[3]);
    }

    private static Map<String, String> params(String text) {
        Map<String, String> params = new TreeMap<>();
        for (String param : text.split(" ", -1)) {
            String[] parts = param.split("=", 2);
            params.put(parts[0], parts[1]);
        }
        return params;
    }
}
