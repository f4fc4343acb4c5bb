package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * How many are let in where a crowd wants a key, in a virtual time: each goes his way to the server, has the key in
 * turn, and goes back.
 */
class AdaptiveWidthTest {
    private static final double MILLI = 1e6;
    private static final int LONG_ENOUGH = 2_000;

    /** How many are in, which learns or does not. */
    private interface Width {
        int now();

        default void left(long nanos) {}
    }

    /** A crowd that never ends, and one key. */
    private static final class Crowd {
        private record Stay(double begun, double ended) {}

        private final Width width;
        private final PriorityQueue<Stay> inside = new PriorityQueue<>((a, b) -> Double.compare(a.ended, b.ended));
        private final Random random;
        private final double jitter;
        private double now;
        private double free;
        private double meanWidth;

        Crowd(Width width, long seed, double jitter) {
            this.width = width;
            this.random = new Random(seed);
            this.jitter = jitter;
        }

        private double about(double millis) {
            return MILLI * millis * (1 + jitter * (2 * random.nextDouble() - 1));
        }

        /** Lets so many through, and gives how many that are in a millisecond. */
        double run(int stays, double wayMillis, double heldMillis) {
            double begun = now;
            long widths = 0;
            for (int i = 0; i < stays; i++) {
                while (inside.size() < width.now()) {
                    free = Math.max(free, now + about(wayMillis) / 2) + about(heldMillis);
                    inside.add(new Stay(now, free + about(wayMillis) / 2));
                }
                Stay first = inside.remove();
                now = Math.max(now, first.ended);
                width.left((long) (now - first.begun));
                assertThat(width.now()).isBetween(1, AdaptiveWidth.MOST);
                widths += width.now();
            }
            meanWidth = (double) widths / stays;
            return stays / ((now - begun) / MILLI);
        }
    }

    private static Crowd adaptive(double jitter) {
        AdaptiveWidth width = new AdaptiveWidth();
        Width learning = new Width() {
            @Override
            public int now() {
                return width.now();
            }

            @Override
            public void left(long nanos) {
                width.left(nanos, true);
            }
        };
        return new Crowd(learning, 4711, jitter);
    }

    private static double settled(Crowd crowd, double wayMillis, double heldMillis) {
        crowd.run(LONG_ENOUGH, wayMillis, heldMillis);
        return crowd.run(LONG_ENOUGH, wayMillis, heldMillis);
    }

    private static double ofWidth(int width, double jitter, double wayMillis, double heldMillis) {
        return settled(new Crowd(() -> width, 4711, jitter), wayMillis, heldMillis);
    }

    /** Whatever comes, also what cannot be, such as no time at all. */
    @Property(tries = 100)
    void itIsNeverLessThanOneAndNeverMoreThanTheMost(
            @ForAll long seed, @ForAll @DoubleRange(min = 0, max = 10) double wayMillis) {
        Random random = new Random(seed);
        AdaptiveWidth width = new AdaptiveWidth();
        for (int i = 0; i < 5_000; i++) {
            width.left((long) (random.nextGaussian() * wayMillis * MILLI), random.nextInt(8) > 0);
            assertThat(width.now()).isBetween(1, AdaptiveWidth.MOST);
        }
    }

    /** The seed is fixed, as what is claimed is about means. */
    @Property(tries = 100, seed = "4711")
    void theKeyIsSeldomFree(
            @ForAll @DoubleRange(min = 0.05, max = 3) double wayMillis,
            @ForAll @DoubleRange(min = 0.05, max = 30) double heldMillis,
            @ForAll @DoubleRange(min = 0, max = 0.6) double jitter) {
        double adaptive = settled(adaptive(jitter), wayMillis, heldMillis);
        double best = ofWidth(AdaptiveWidth.MOST, jitter, wayMillis, heldMillis);
        assertThat(adaptive).isGreaterThan(0.75 * best);
        assertThat(adaptive).isGreaterThan(0.97 * ofWidth(AdaptiveWidth.LEAST, jitter, wayMillis, heldMillis));
    }

    @Property(tries = 100, seed = "4711")
    void ofAKeyThatIsHeldForLongFewWaitAtTheServer(
            @ForAll @DoubleRange(min = 0.05, max = 3) double wayMillis,
            @ForAll @DoubleRange(min = 3, max = 100) double timesTheWay,
            @ForAll @DoubleRange(min = 0, max = 0.6) double jitter) {
        Crowd crowd = adaptive(jitter);
        settled(crowd, wayMillis, timesTheWay * wayMillis);
        assertThat(crowd.meanWidth).isLessThan(3.5);
    }

    @Test
    void itGrowsWhereTheHoldIsShortAndShrinksWhereItIsLong() {
        Crowd crowd = adaptive(0.3);
        settled(crowd, 0.7, 0.1);
        assertThat(crowd.meanWidth).isGreaterThan(6);
        settled(crowd, 0.7, 20);
        assertThat(crowd.meanWidth).isLessThan(3.5);
        settled(crowd, 0.7, 0.1);
        assertThat(crowd.meanWidth).isGreaterThan(6);
    }

    /** Only looking anew finds that out: a longer stay may as well be a longer wait. */
    @Test
    void itGrowsWhereTheWayGetsLonger() {
        Crowd crowd = adaptive(0.3);
        settled(crowd, 0.1, 0.3);
        assertThat(crowd.meanWidth).isLessThan(4);
        crowd.run(3 * LONG_ENOUGH, 3, 0.3);
        crowd.run(LONG_ENOUGH, 3, 0.3);
        assertThat(crowd.meanWidth).isGreaterThan(6);
    }

    /** Connections, plans and code that are used for the first time, and now and then one that is again. */
    @Property(tries = 100, seed = "4711")
    void coldCallsAreForgottenInAFewDozen(
            @ForAll @IntRange(min = 1, max = 20) int cold,
            @ForAll @DoubleRange(min = 3, max = 1000) double times,
            @ForAll @DoubleRange(min = 0.05, max = 3) double wayMillis,
            @ForAll @DoubleRange(min = 3, max = 100) double timesTheWay,
            @ForAll @DoubleRange(min = 0, max = 0.6) double jitter) {
        Crowd crowd = adaptive(jitter);
        crowd.run(cold, times * wayMillis, timesTheWay * wayMillis);
        crowd.run(60, wayMillis, timesTheWay * wayMillis);
        for (int i = 0; i < 30; i++) {
            crowd.run(100, wayMillis, timesTheWay * wayMillis);
            assertThat(crowd.meanWidth).as("hundred " + i).isLessThan(4);
            crowd.run(1, times * wayMillis, timesTheWay * wayMillis);
        }
    }

    @Property(tries = 100, seed = "4711")
    void coldCallsDoNotKeepItNarrowWhereTheWayIsLong(
            @ForAll @IntRange(min = 1, max = 20) int cold,
            @ForAll @DoubleRange(min = 3, max = 1000) double times,
            @ForAll @DoubleRange(min = 0.5, max = 3) double wayMillis,
            @ForAll @DoubleRange(min = 0.05, max = 0.1) double timesTheWay,
            @ForAll @DoubleRange(min = 0, max = 0.6) double jitter) {
        Crowd crowd = adaptive(jitter);
        crowd.run(cold, times * wayMillis, timesTheWay * wayMillis);
        crowd.run(500, wayMillis, timesTheWay * wayMillis);
        for (int i = 0; i < 5; i++) {
            crowd.run(500, wayMillis, timesTheWay * wayMillis);
            assertThat(crowd.meanWidth).as("five hundred " + i).isGreaterThan(6);
        }
    }

    /** Nobody waits in the JVM, and so nobody has to be kept out or let in. */
    @Test
    void withoutACrowdItStays() {
        AdaptiveWidth width = new AdaptiveWidth();
        for (int i = 0; i < 10_000; i++) {
            width.left(1_000 + i % 7, false);
            assertThat(width.now()).isEqualTo(AdaptiveWidth.LEAST);
        }
    }
}
