package org.rowlock.jdbc.internal.observe;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts how the drop-in treated the statements on a table. Thread-safe. */
public final class TableFigures {
    /** A counter for each figure. Any thread may read the map, because no entry is ever added or removed. */
    private final Map<Figure, LongAdder> figures = new EnumMap<>(Figure.class);

    public TableFigures() {
        for (Figure each : Figure.values()) {
            figures.put(each, new LongAdder());
        }
    }

    public void count(Figure figure) {
        add(figure, 1);
    }

    public void add(Figure figure, long number) {
        Objects.requireNonNull(figures.get(figure)).add(number);
    }

    /** Returns the figures by name. Reasons that never occurred are left out. */
    public Map<String, Long> asMap() {
        Map<String, Long> map = new TreeMap<>();
        figures.forEach((figure, count) -> map.put(figure.toString(), count.sum()));
        map.computeIfPresent(Figure.QUEUED_TIME.toString(), (name, nanos) -> TimeUnit.NANOSECONDS.toMillis(nanos));
        map.entrySet().removeIf(each -> each.getKey().contains(".") && each.getValue() == 0);
        return map;
    }
}
