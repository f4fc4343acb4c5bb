package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Point;

/**
 * The two levers of a scenario that has both: the strategy, and admission.
 *
 * @param method the strategy that stands for moving: {@code ADVISORY}, or {@code BOTH} where that is not compared
 * @param strategy the strategy alone against the row lock
 * @param admission admission alone against the row lock
 * @param both against the row lock, as far as they were compared together
 * @param onTop the strategy against the row lock, both with admission
 * @param duel the strategy alone against admission alone
 */
record Levers(
        ScenarioResult result,
        String method,
        Course strategy,
        Course admission,
        Optional<Course> both,
        Optional<Course> onTop,
        Optional<Course> duel) {

    /** Empty where a lever was not pulled alone. */
    static Optional<Levers> of(ScenarioResult result) {
        return of(result, VariantName.ADVISORY).or(() -> of(result, VariantName.BOTH));
    }

    private static Optional<Levers> of(ScenarioResult result, String method) {
        Optional<String> row = VariantName.plain(result, VariantName.ROW);
        Optional<String> rowWithAdmission = VariantName.withAdmission(result, VariantName.ROW);
        Optional<String> plain = VariantName.plain(result, method);
        Optional<String> withAdmission = VariantName.withAdmission(result, method);
        Optional<Course> strategy = Course.of(result, plain, row);
        Optional<Course> admission = Course.of(result, rowWithAdmission, row);
        return strategy.isEmpty() || admission.isEmpty()
                ? Optional.empty()
                : Optional.of(new Levers(
                        result,
                        method,
                        strategy.get(),
                        admission.get(),
                        Course.of(result, withAdmission, row),
                        Course.of(result, withAdmission, rowWithAdmission),
                        Course.of(result, plain, rowWithAdmission)));
    }

    /** The row lock alone, as the scenario writes it. */
    String row() {
        return strategy.baseline();
    }

    /** All of it in two or three sentences. */
    String words() {
        List<String> sentences = new ArrayList<>();
        most().ifPresent(point -> sentences.add(atMost(point)));
        duel.map(this::whoPaysMore).ifPresent(sentences::add);
        onTop.map(course -> "With admission on, " + method + " against ROW is " + adds(course) + ".")
                .ifPresent(sentences::add);
        return String.join(" ", sentences);
    }

    /** Where the levers do the most. */
    private Optional<Point> most() {
        return Stream.of(both.orElse(strategy), strategy, admission)
                .flatMap(course -> course.findings().stream())
                .max(Comparator.comparingDouble(Finding::size))
                .map(Finding::point);
    }

    private String atMost(Point point) {
        List<String> parts = new ArrayList<>();
        amount(strategy, point).ifPresent(amount -> parts.add("strategy alone (" + method + ") " + amount));
        amount(admission, point).ifPresent(amount -> parts.add("admission alone " + amount));
        both.flatMap(course -> amount(course, point)).ifPresent(amount -> parts.add("both " + amount));
        String where = Words.at(result, List.of(point));
        return "The levers" + where + ": " + String.join(", ", parts) + ".";
    }

    private static Optional<String> amount(Course course, Point point) {
        return course.findings().stream()
                .filter(finding -> finding.point().equals(point))
                .map(Finding::amount)
                .findFirst();
    }

    /** Who pays more, where. */
    private String whoPaysMore(Course course) {
        List<String> parts = new ArrayList<>();
        if (!course.gains().isEmpty()) {
            parts.add("the strategy alone does more than admission alone" + course.at(course.gains()));
        }
        if (!course.losses().isEmpty()) {
            parts.add("admission alone does more than the strategy alone" + course.at(course.losses()));
        }
        if (parts.isEmpty()) {
            parts.add("neither lever alone does clearly more than the other");
        }
        return Words.sentence(String.join("; ", parts)) + ".";
    }

    private static String adds(Course course) {
        return course.gains().isEmpty() && course.losses().isEmpty() ? "no clear difference" : course.words();
    }
}
