package org.rowlock.jdbc.internal.observe;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.rowlock.jdbc.internal.statement.PassReason;

/** Counts how the drop-in treated the statements on a table. Thread-safe. */
public final class TableFigures {
    private final Map<Figure, LongAdder> figures = counters(Figure.class);
    private final Map<PassReason, LongAdder> passed = counters(PassReason.class);

    /** Returns a counter for each constant. Any thread may read the map, because no entry is ever added or removed. */
    private static <E extends Enum<E>> Map<E, LongAdder> counters(Class<E> type) {
        Map<E, LongAdder> counters = new EnumMap<>(type);
        for (E each : type.getEnumConstants()) {
            counters.put(each, new LongAdder());
        }
        return counters;
    }

    public void count(Figure figure) {
        add(figure, 1);
    }

    public void add(Figure figure, long number) {
        Objects.requireNonNull(figures.get(figure)).add(number);
    }

    public void passed(PassReason reason) {
        Objects.requireNonNull(passed.get(reason)).increment();
    }

    /** Returns the figures by name. Reasons that never occurred are left out. */
    public Map<String, Long> asMap() {
        Map<String, Long> map = new TreeMap<>();
        figures.forEach((figure, count) -> map.put(figure.toString(), count.sum()));
        map.computeIfPresent(Figure.QUEUED_TIME.toString(), (name, nanos) -> TimeUnit.NANOSECONDS.toMillis(nanos));
        passed.forEach((reason, count) -> map.put("passed." + reason, count.sum()));
        map.entrySet().removeIf(each -> each.getKey().contains(".") && each.getValue() == 0);
        return map;
    }
}
