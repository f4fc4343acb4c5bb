package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Scenario;

/**
 * What a scenario says to a team that runs FOR UPDATE: move its kind of table, or not.
 *
 * @param kind in a word or two
 * @param reasons what it rests on
 */
record Advice(ScenarioResult result, Kind kind, List<Reason> reasons) {

    /**
     * A part of the reasons.
     *
     * @param lead who or what it is about: a variant, or a word
     * @param words the rest of the sentence
     */
    record Reason(String lead, String words) {
        String text() {
            return lead + ": " + words;
        }
    }

    /** In short, and from the strongest call to move down. */
    enum Kind {
        MOVE("Move"),
        DEPENDS("Depends"),
        ADMISSION("Admission first"),
        STAY("Stay"),
        SAME("No clear difference"),
        UNKNOWN("Cannot be judged");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** Empty where the others are not compared with the row lock, or at no server: that says nothing about moving. */
    static Optional<Advice> of(ScenarioResult result) {
        if (!VariantName.of(result.scenario().baseline()).isForUpdate()
                || result.scenario().needs().contains(Scenario.Need.NO_SERVER)
                || result.variants().stream()
                        .noneMatch(variant -> VariantName.of(variant).isMove())) {
            return Optional.empty();
        }
        Optional<Course> target = target(result);
        Kind kind = target.map(course -> kind(result, course)).orElse(Kind.UNKNOWN);
        List<Reason> reasons = target.map(course -> reasons(result, kind, course))
                .orElseGet(() -> List.of(new Reason("Nothing to compare", ScenarioVerdict.whyUnknown(result))));
        return Optional.of(new Advice(result, kind, reasons));
    }

    /** The strategies without admission, which is a lever of its own, in the scenario's headline metric. */
    private static List<Course> strategies(ScenarioResult result, Predicate<VariantName> filter) {
        return result.variants().stream()
                .map(VariantName::of)
                .filter(name -> name.isMove() && !name.admission())
                .filter(filter)
                .map(name -> Course.of(result, name.text(), result.scenario().baseline()))
                .filter(course -> !course.findings().isEmpty())
                .toList();
    }

    /** What one would move to: something that gains and never loses, if there is such, and of these the best. */
    private static Optional<Course> target(ScenarioResult result) {
        List<Course> plain = strategies(result, name -> !name.pipelined());
        return (plain.isEmpty() ? strategies(result, VariantName::pipelined) : plain)
                .stream()
                        .max(Comparator.<Course, Boolean>comparing(
                                        course -> course.gainsSomewhere() && !course.losesSomewhere())
                                .thenComparing(Course::gainsSomewhere)
                                .thenComparingDouble(Course::size));
    }

    private static Kind kind(ScenarioResult result, Course target) {
        if (target.findings().stream().allMatch(finding -> finding.rounds() < 2)) {
            return Kind.UNKNOWN;
        }
        if (target.gainsSomewhere()) {
            if (isDoneByAdmission(result)) {
                return Kind.ADMISSION;
            }
            return target.losesSomewhere() ? Kind.DEPENDS : Kind.MOVE;
        }
        if (admission(result).filter(Course::gainsSomewhere).isPresent()) {
            return Kind.ADMISSION;
        }
        return target.losesSomewhere() ? Kind.STAY : Kind.SAME;
    }

    /** Whether admission alone does all that the strategy does: as much or more everywhere, and nothing left to add. */
    private static boolean isDoneByAdmission(ScenarioResult result) {
        return Levers.of(result)
                .filter(levers -> levers.admission().gainsSomewhere()
                        && levers.onTop().filter(Course::mayGainSomewhere).isEmpty()
                        && levers.duel().filter(Course::mayGainSomewhere).isEmpty())
                .isPresent();
    }

    private static Optional<Course> admission(ScenarioResult result) {
        return Course.of(
                result, VariantName.withAdmission(result, VariantName.ROW), VariantName.plain(result, VariantName.ROW));
    }

    private static List<Reason> reasons(ScenarioResult result, Kind kind, Course target) {
        List<Reason> reasons = new ArrayList<>();
        reasons.add(new Reason(target.variant(), target.words() + "."));
        // The other strategy as well: BOTH is the first step of a migration, and keeps the row lock.
        for (Course other : strategies(result, name -> !name.pipelined())) {
            if (!other.variant().equals(target.variant())) {
                reasons.add(new Reason(other.variant(), other.words() + "."));
            }
        }
        admission(result).ifPresent(course -> reasons.add(new Reason(course.variant(), course.words() + ".")));
        if (kind != Kind.STAY && kind != Kind.SAME) {
            Levers.of(result)
                    .flatMap(Levers::onTop)
                    .ifPresent(course -> reasons.add(new Reason(
                            "With admission on already",
                            course.gainsSomewhere()
                                    ? course.variant() + " still adds to it: " + course.words() + "."
                                    : course.variant() + " adds nothing clear to " + course.baseline() + ".")));
        }
        if (kind == Kind.UNKNOWN) {
            reasons.add(new Reason("One round only", "without a spread nothing is called."));
        }
        return reasons;
    }
}
