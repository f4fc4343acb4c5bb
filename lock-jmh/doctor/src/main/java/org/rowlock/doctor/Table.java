package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Wait.Doing;

/**
 * The waits for rows of one table while the doctor looked.
 *
 * @param name the table's, of a partition its root's
 * @param waiting sessions that wait for its rows at a time
 * @param waitShare of all waits for rows
 * @param contenders sessions that want the most wanted row at a time, its holder included, while somebody waits
 * @param mostContenders the most that were seen
 * @param longestWaitMillis the longest that was seen
 * @param firstWaitMillis how long the first in line had waited when it was looked at, half of them longer
 * @param idleMillis how long an idle or prepared holder had been so when it was looked at, half of them longer
 * @param deadlocked sessions that were seen waiting in a circle, in all samples together
 * @param shares of 1, the largest first
 */
record Table(
        String name,
        double waiting,
        double waitShare,
        double contenders,
        int mostContenders,
        double longestWaitMillis,
        double firstWaitMillis,
        double idleMillis,
        long deadlocked,
        Map<Of, Map<Object, Double>> shares) {

    private static final String SHARED = "a row that they share";

    enum Of {
        CAUSE,
        /** How sessions want the row, where that is known. */
        MODE,
        /** What they run, where it may be seen. */
        STATEMENT,
        /** What the holders do while others wait: {@link Doing}. */
        HOLDER,
        /** The wait events of holders that run or commit, and the gids of prepared ones. */
        HOLDER_EVENT,
        /** What holders run, or ran last. */
        HOLDER_STATEMENT,
        /** The tables at which holders wait themselves. */
        NEXT,
        /** Why sessions wait in a circle. */
        CIRCLE
    }

    Map<Object, Double> shares(Of of) {
        return shares.getOrDefault(of, Map.of());
    }

    double share(Of of, Object what) {
        return shares(of).getOrDefault(what, 0.0);
    }

    /** That with the largest share; null if there is none. */
    @Nullable
    String most(Of of) {
        return shares(of).keySet().stream().map(String::valueOf).findFirst().orElse(null);
    }

    Doing doing() {
        return shares(Of.HOLDER).keySet().stream()
                .map(Doing.class::cast)
                .findFirst()
                .orElse(Doing.NOT_VISIBLE);
    }

    double doingShare() {
        return share(Of.HOLDER, doing());
    }

    double changingShare() {
        return share(Of.HOLDER, Doing.CHANGING_HANDS);
    }

    double foreignKeyShare() {
        return share(Of.CAUSE, StatementKind.FOREIGN_KEY);
    }

    /** The wait event that holders were seen in most. */
    String event() {
        return shares(Of.HOLDER_EVENT).isEmpty() ? Wait.RUNNING : String.valueOf(most(Of.HOLDER_EVENT));
    }

    /** Where its holders wait themselves, in words. */
    String next() {
        return shares(Of.NEXT).isEmpty() ? "" : ", rows of " + most(Of.NEXT);
    }

    /** Whether sessions that share a row, by a foreign key too, and then want it alone wait for each other. */
    boolean isShared() {
        return share(Of.CIRCLE, SHARED) > Threshold.MOST;
    }

    boolean isConvoy() {
        return contenders >= Threshold.CONVOY;
    }

    /** How long a holder is idle at a time: at a random moment half of it is over. */
    double pauseMillis() {
        return 2 * idleMillis;
    }

    /** Of those that wait, and of those that hold. */
    Stream<String> statements() {
        return Stream.of(Of.STATEMENT, Of.HOLDER_STATEMENT)
                .flatMap(each -> shares(each).keySet().stream())
                .map(String::valueOf);
    }

    /** Adds up the waits for its rows, sample by sample. */
    static final class Tallies {
        private final Map<Of, Tally<Object>> tallies = new EnumMap<>(Of.class);
        private final IntSummaryStatistics longestQueues = new IntSummaryStatistics();
        private final List<Double> idle = new ArrayList<>();
        private final List<Double> firstWaits = new ArrayList<>();
        private double longestWait;
        private long waits;
        private long deadlocked;

        private void add(Of of, @Nullable Object what) {
            tallies.computeIfAbsent(of, any -> new Tally<>()).add(what, 1);
        }

        void add(List<Wait> queue) {
            for (Wait wait : queue) {
                add(Of.CAUSE, wait.cause());
                add(Of.MODE, wait.mode());
                add(Of.STATEMENT, wait.query());
                longestWait = Math.max(longestWait, wait.waitedMillis());
                if (wait.isInCircle()) {
                    deadlocked++;
                    // The server gets in line, and so names the row, only for a session that does not share it already.
                    add(Of.CIRCLE, wait.namesRow() ? "several rows" : SHARED);
                }
                if (wait.transaction() != null) {
                    firstWaits.add(wait.waitedMillis());
                }
            }
            waits += queue.size();
            Wait first = queue.stream()
                    .filter(wait -> wait.doing() != Doing.CHANGING_HANDS)
                    .findFirst()
                    .orElse(queue.get(0));
            add(Of.HOLDER, first.doing());
            add(Of.HOLDER_STATEMENT, first.holderQuery());
            add(Of.NEXT, first.next());
            add(Of.HOLDER_EVENT, first.holderEvent());
            if (first.idleMillis() != null) {
                idle.add(first.idleMillis());
            }
        }

        void addLongestQueue(int waiters) {
            longestQueues.accept(waiters);
        }

        Table table(String name, int samples, double rowWaits) {
            Map<Of, Map<Object, Double>> shares = new EnumMap<>(Of.class);
            tallies.forEach((of, tally) -> shares.put(of, tally.shares()));
            return new Table(
                    name,
                    (double) waits / samples,
                    waits / (samples * rowWaits),
                    longestQueues.getAverage() + 1,
                    longestQueues.getMax() + 1,
                    longestWait,
                    median(firstWaits),
                    median(idle),
                    deadlocked,
                    shares);
        }

        private static double median(List<Double> values) {
            return values.isEmpty() ? 0 : values.stream().sorted().toList().get(values.size() / 2);
        }
    }
}
