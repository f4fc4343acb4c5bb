package org.rowlock.jdbc.internal.turn;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.rowlock.jdbc.internal.group.Groups;
import org.rowlock.jdbc.internal.statement.PassReason;

/** Counts what was done with the statements on a table. */
final class TableFigures {
    private final LongAdder recognised = new LongAdder();
    private final LongAdder queued = new LongAdder();
    private final LongAdder wouldQueue = new LongAdder();
    private final LongAdder fronted = new LongAdder();
    private final LongAdder frontGivenUp = new LongAdder();
    private final LongAdder queuedNanos = new LongAdder();
    private final LongAdder releasedEarly = new LongAdder();
    private final LongAdder grouped = new LongAdder();
    private final LongAdder groups = new LongAdder();
    private final LongAdder groupsUndone = new LongAdder();
    private final Map<Groups.Alone, LongAdder> alone = new EnumMap<>(Groups.Alone.class);
    /** Filled at once, so that threads may read it. */
    private final Map<PassReason, LongAdder> passed = new EnumMap<>(PassReason.class);

    TableFigures() {
        for (PassReason reason : PassReason.values()) {
            passed.put(reason, new LongAdder());
        }
        for (Groups.Alone reason : Groups.Alone.values()) {
            alone.put(reason, new LongAdder());
        }
    }

    void recognised() {
        recognised.increment();
    }

    void queued(long nanos) {
        queued.increment();
        queuedNanos.add(nanos);
    }

    void wouldQueue() {
        wouldQueue.increment();
    }

    void releasedEarly() {
        releasedEarly.increment();
    }

    void fronted() {
        fronted.increment();
    }

    void frontGivenUp() {
        frontGivenUp.increment();
    }

    void passed(PassReason reason) {
        count(reason).increment();
    }

    /** @param size of a group; less than 0 if it was undone, or nobody knows */
    void grouped(int size) {
        (size > 0 ? groups : groupsUndone).increment();
        grouped.add(Math.max(0, size));
    }

    void alone(Groups.Alone reason) {
        Objects.requireNonNull(alone.get(reason)).increment();
    }

    Map<String, Long> asMap() {
        Map<String, Long> map = new TreeMap<>();
        map.put("recognised", recognised.sum());
        map.put("queued", queued.sum());
        map.put("wouldQueue", wouldQueue.sum());
        map.put("fronted", fronted.sum());
        map.put("frontGivenUp", frontGivenUp.sum());
        map.put("queuedMillis", TimeUnit.NANOSECONDS.toMillis(queuedNanos.sum()));
        map.put("releasedEarly", releasedEarly.sum());
        map.put("grouped", grouped.sum());
        map.put("groups", groups.sum());
        map.put("groupsUndone", groupsUndone.sum());
        alone.forEach((reason, count) -> {
            if (count.sum() > 0) {
                map.put("alone." + reason, count.sum());
            }
        });
        for (PassReason reason : PassReason.values()) {
            long count = count(reason).sum();
            if (count > 0) {
                map.put("passed." + reason, count);
            }
        }
        return map;
    }

    private LongAdder count(PassReason reason) {
        return Objects.requireNonNull(passed.get(reason));
    }
}
