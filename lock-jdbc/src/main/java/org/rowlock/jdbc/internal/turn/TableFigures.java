package org.rowlock.jdbc.internal.turn;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.rowlock.jdbc.internal.statement.PassReason;

/** Counts what was done with the statements on a table. */
final class TableFigures {
    private final LongAdder recognised = new LongAdder();
    private final LongAdder queued = new LongAdder();
    private final LongAdder wouldQueue = new LongAdder();
    private final LongAdder queuedNanos = new LongAdder();
    private final LongAdder[] passed =
            Stream.generate(LongAdder::new).limit(PassReason.values().length).toArray(LongAdder[]::new);

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

    void passed(PassReason reason) {
        passed[reason.ordinal()].increment();
    }

    Map<String, Long> asMap() {
        Map<String, Long> map = new TreeMap<>();
        map.put("recognised", recognised.sum());
        map.put("queued", queued.sum());
        map.put("wouldQueue", wouldQueue.sum());
        map.put("queuedMillis", TimeUnit.NANOSECONDS.toMillis(queuedNanos.sum()));
        for (PassReason reason : PassReason.values()) {
            long count = passed[reason.ordinal()].sum();
            if (count > 0) {
                map.put("passed." + reason, count);
            }
        }
        return map;
    }
}
