package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;

/** The order of the turns (measurements). */
public final class TurnOrder {
    private static final long SEED = 20_261;

    private TurnOrder() {}

    /** Returns the turns of a round. The baseline is first and last, and every second round runs backwards. */
    public static List<Rounds.Place> of(Scenario scenario, Point point, int round) {
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
}
