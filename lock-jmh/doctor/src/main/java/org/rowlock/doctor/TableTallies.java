package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Wait.Cause;
import org.rowlock.doctor.Wait.Doing;
import org.rowlock.doctor.Wait.Holder;

/** What is counted for one table. */
final class TableTallies {
    private final Tally<Cause> causes = new Tally<>();
    private final Tally<RowLockMode> modes = new Tally<>();
    private final Tally<String> statements = new Tally<>();
    private final Tally<Doing> holders = new Tally<>();
    private final Tally<String> holderEvents = new Tally<>();
    private final Tally<String> holderStatements = new Tally<>();
    final Tally<String> hotRows = new Tally<>();
    private final Tally<String> behind = new Tally<>();
    private final List<Double> idle = new ArrayList<>();
    private final List<Double> firstWaits = new ArrayList<>();
    private final List<Integer> longestQueues = new ArrayList<>();
    private double longestWait;
    long deadlocked;

    void add(List<Wait> queue, List<Wait> all) {
        for (Wait wait : queue) {
            causes.add(wait.cause());
            Optional.ofNullable(wait.mode()).ifPresent(modes::add);
            Optional.ofNullable(wait.statement()).ifPresent(statements::add);
            longestWait = Math.max(longestWait, wait.millis());
            if (wait.transaction() != null) {
                firstWaits.add(wait.millis());
            }
        }
        queue.stream()
                .map(Wait::holder)
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresentOrElse(holder -> addHolder(holder, all), () -> holders.add(Doing.CHANGING));
    }

    private void addHolder(Holder holder, List<Wait> all) {
        holders.add(holder.doing());
        Optional.ofNullable(holder.statement()).ifPresent(holderStatements::add);
        all.stream()
                .filter(wait -> wait.pid() == holder.pid() && wait.table() != null)
                .findFirst()
                .ifPresent(wait -> behind.add(String.valueOf(wait.table())));
        if (holder.doing() == Doing.IDLE || holder.doing() == Doing.PREPARED) {
            idle.add(holder.millis());
        }
        if (holder.doing() != Doing.IDLE) {
            holderEvents.add(holder.event());
        }
    }

    void addLongestQueue(int waiters) {
        longestQueues.add(waiters);
    }

    Table table(String name, int samples, long allWaits) {
        return new Table(
                name,
                (double) causes.total() / samples,
                (double) causes.total() / allWaits,
                longestQueues.stream().mapToInt(Integer::intValue).average().orElse(0) + 1,
                longestQueues.stream().mapToInt(Integer::intValue).max().orElse(0) + 1,
                longestWait,
                median(firstWaits),
                median(idle),
                causes.shares(),
                modes.shares(),
                statements.shares(),
                holders.shares(),
                holderEvents.shares(),
                holderStatements.shares(),
                behind.shares(),
                deadlocked,
                hotRows.shares());
    }

    private static double median(List<Double> values) {
        return values.isEmpty() ? 0 : values.stream().sorted().toList().get(values.size() / 2);
    }
}
