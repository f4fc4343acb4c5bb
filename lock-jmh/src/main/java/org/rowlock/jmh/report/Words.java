package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Point;

/** Parts of sentences. */
final class Words {
    /** From so many neighbours on, {@code 1 to 30} says as much as {@code 1, 4, 10 and 30}. */
    private static final int RUN = 3;

    private Words() {}

    /** {@code a, b and c}. */
    static String list(List<String> words) {
        int last = words.size() - 1;
        return last < 1
                ? String.join("", words)
                : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }

    /** {@code 1 loss}, {@code 2 losses}. */
    static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    static String sentence(String words) {
        return words.isEmpty() ? words : Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    /** A point as a heading: {@code 90 clients}, {@code no clients}, or its label where that is words already. */
    static String point(ScenarioResult result, Point point) {
        if (isNone(point)) {
            return ("no " + result.scenario().axis()).strip();
        }
        return isNumber(point) ? withAxis(result, point.label()) : point.label();
    }

    /**
     * Where something holds: {@code " at 30 to 300 clients"}, {@code " without clients"}; empty where the scenario has one
     * point only.
     */
    static String at(ScenarioResult result, List<Point> points) {
        if (points.isEmpty() || result.points().size() == 1) {
            return "";
        }
        List<String> parts = new ArrayList<>();
        List<Point> numbers = points.stream().filter(Words::isNumber).toList();
        if (!numbers.isEmpty()) {
            parts.add("at " + withAxis(result, list(runs(result, numbers))));
        }
        List<Point> words = points.stream()
                .filter(point -> !isNumber(point) && !isNone(point))
                .toList();
        if (!words.isEmpty()) {
            parts.add("at " + list(labels(words)));
        }
        if (points.stream().anyMatch(Words::isNone)) {
            parts.add(("without " + result.scenario().axis()).strip());
        }
        return " " + list(parts);
    }

    private static boolean isNone(Point point) {
        return point.label().equals("none");
    }

    private static String withAxis(ScenarioResult result, String labels) {
        String axis = result.scenario().axis();
        boolean one = labels.equals("1") && axis.endsWith("s");
        return (labels + " " + (one ? axis.substring(0, axis.length() - 1) : axis)).strip();
    }

    static boolean isNumber(Point point) {
        return point.label().matches("[0-9][0-9.]*");
    }

    private static List<String> labels(List<Point> points) {
        return points.stream().map(Point::label).toList();
    }

    private static List<String> runs(ScenarioResult result, List<Point> points) {
        List<String> runs = new ArrayList<>();
        List<Point> run = new ArrayList<>();
        for (Point point : result.points()) {
            if (points.contains(point)) {
                run.add(point);
            } else {
                end(run, runs);
            }
        }
        end(run, runs);
        return runs;
    }

    private static void end(List<Point> run, List<String> runs) {
        if (run.size() >= RUN) {
            runs.add(run.get(0).label() + " to " + run.get(run.size() - 1).label());
        } else {
            runs.addAll(labels(run));
        }
        run.clear();
    }
}
