package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Samples.Tally;
import org.rowlock.doctor.Wait.Doing;

/**
 * The waits for rows of one table during the sampling.
 *
 * @param name the name of the table; for a partition, the name of its root table
 * @param busyShare the share of samples in which at least one session waits for a row of the table
 * @param contenders the average number of sessions at the hottest row, including its holder, in samples with a wait
 * @param firstWaitMillis the median time that the first session in line had waited when sampled
 * @param firstWaits the number of sampled waits of a first session in line
 * @param idleMillis the median time that holders had been idle or prepared when sampled
 * @param deadlocked the sessions seen in a deadlock, summed over all samples
 * @param shares for each kind of observation, the observed values and their shares, the largest first
 */
record Table(
        String name,
        double waiting,
        double waitShare,
        double busyShare,
        double contenders,
        int mostContenders,
        double longestWaitMillis,
        double firstWaitMillis,
        int firstWaits,
        double idleMillis,
        long deadlocked,
        Map<Of, Map<Object, Double>> shares) {

    /**
     * The length of a period, divided by its median age when sampled. The quotient would be 2 if all periods were
     * equally long, and if the samples did not prolong them. With this value, the estimates for ten loads were best.
     */
    private static final double PERIOD = 1.6;

    private static final String SHARED = "a row that they share";

    enum Of {
        CAUSE,
        MODE,
        STATEMENT,
        /** The activity of holders while others wait: {@link Doing}. */
        HOLDER,
        /** The wait events of holders that are not idle, and the gids of prepared transactions. */
        HOLDER_EVENT,
        HOLDER_STATEMENT,
        /** The sessions and prepared transactions that hold rows, weighted by the number of waiting sessions. */
        HOLDER_SESSION,
        NEXT,
        CIRCLE
    }

    Map<Object, Double> shares(Of of) {
        return shares.getOrDefault(of, Map.of());
    }

    double share(Of of, Object what) {
        return shares(of).getOrDefault(what, 0.0);
    }

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

    double noneYetShare() {
        return share(Of.HOLDER, Doing.NONE_YET);
    }

    double foreignKeyShare() {
        return share(Of.CAUSE, StatementKind.FOREIGN_KEY);
    }

    double sharingShare() {
        return shares(Of.HOLDER_STATEMENT).entrySet().stream()
                .filter(each -> StatementKind.isShared(String.valueOf(each.getKey())))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    String event() {
        return shares(Of.HOLDER_EVENT).isEmpty() ? "not visible" : String.valueOf(most(Of.HOLDER_EVENT));
    }

    String next() {
        return shares(Of.NEXT).isEmpty() ? "" : ", rows of " + most(Of.NEXT);
    }

    /**
     * Whether most deadlocks are lock upgrades: each session holds a shared lock on the same row, possibly from a
     * foreign key check, and then requests an exclusive lock on it.
     */
    boolean isShared() {
        return share(Of.CIRCLE, SHARED) > Threshold.MOST;
    }

    boolean isConvoy() {
        return contenders >= Threshold.CONVOY;
    }

    /** The estimated length of a holder's idle period. */
    double pauseMillis() {
        return PERIOD * idleMillis;
    }

    /** The estimated time for which a transaction holds the row while another session waits. */
    double heldMillis() {
        return PERIOD * firstWaitMillis;
    }

    Stream<String> statements() {
        return Stream.of(Of.STATEMENT, Of.HOLDER_STATEMENT)
                .flatMap(each -> shares(each).keySet().stream())
                .map(String::valueOf);
    }

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

        /** @param hasHolder whether a row of the table has a visible holder in this sample */
        void add(List<Wait> queue, boolean hasHolder) {
            for (Wait wait : queue) {
                add(Of.CAUSE, wait.cause());
                add(Of.MODE, wait.mode());
                add(Of.STATEMENT, wait.query());
                longestWait = Math.max(longestWait, wait.waitedMillis());
                if (wait.isInCircle()) {
                    deadlocked++;
                    // A session that already shares the row does not wait for the tuple lock, so pg_locks does not name
                    // the row.
                    add(Of.CIRCLE, wait.namesRow() ? "several rows" : SHARED);
                }
            }
            waits += queue.size();
            Wait first = queue.stream()
                    .filter(wait -> wait.doing() != Doing.NONE_YET)
                    .findFirst()
                    .orElse(queue.get(0));
            // Sessions that wait for an older version of the row have no holder, although the newer version has one.
            if (first.doing() != Doing.NONE_YET || !hasHolder) {
                add(Of.HOLDER, first.doing());
            }
            add(Of.HOLDER_STATEMENT, first.holderQuery());
            tallies.computeIfAbsent(Of.HOLDER_SESSION, any -> new Tally<>()).add(first.holder(), queue.size());
            add(Of.NEXT, first.next());
            add(Of.HOLDER_EVENT, first.holderEvent());
            if (first.idleMillis() != null) {
                idle.add(first.idleMillis());
            }
        }

        /** Adds how long the first session in line had waited for a transaction that holds a row. */
        void addFirstWait(double millis) {
            firstWaits.add(millis);
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
                    (double) longestQueues.getCount() / samples,
                    longestQueues.getAverage() + 1,
                    longestQueues.getMax() + 1,
                    longestWait,
                    median(firstWaits),
                    firstWaits.size(),
                    median(idle),
                    deadlocked,
                    shares);
        }

        private static double median(List<Double> values) {
            return values.isEmpty() ? 0 : values.stream().sorted().toList().get(values.size() / 2);
        }
    }
}
