package org.rowlock.spring.boot;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.rowlock.jdbc.RowlockJdbcMXBean;

/**
 * Meters of lock-jdbc, with the tags {@code datasource} and {@code table}: the timer {@code rowlock.jdbc.queue}, and a
 * counter {@code rowlock.jdbc.*} for each other figure of {@link RowlockJdbcMXBean}. The gauge {@code
 * rowlock.jdbc.waiting} has no tag {@code table}. A figure with a reason, such as {@code passed.REASON}, has the tag
 * {@code reason}. The tag {@code table} is empty for statements without a recognised table. After the first statement
 * on a table, its meters appear at the first or second reading of all meters. Thread-safe.
 */
record JdbcMetrics(MeterRegistry meters) {
    private static final String QUEUED = "queued";
    private static final String QUEUED_MILLIS = "queuedMillis";

    void bind(String dataSource, RowlockJdbcMXBean control) {
        Gauge.builder("rowlock.jdbc.waiting", control, each -> {
                    // Rowlock knows a table only after its first statement, so each reading of this gauge adds the
                    // meters of new tables.
                    bindTables(dataSource, each);
                    return each.getQueued();
                })
                .description("Threads that wait in the queues of the JVM for a row lock")
                .tags("datasource", dataSource)
                .strongReference(true)
                .register(meters);
        bindTables(dataSource, control);
    }

    /** Registers the meters of all known tables. The registry ignores a meter that it already has. */
    private void bindTables(String dataSource, RowlockJdbcMXBean control) {
        control.getFigures().forEach((table, figures) -> {
            Tags tags = Tags.of("datasource", dataSource, "table", table);
            figures.keySet().stream()
                    .filter(figure -> !figure.startsWith(QUEUED))
                    .forEach(figure -> count(control, table, figure, tags));
            FunctionTimer.builder(
                            "rowlock.jdbc.queue",
                            control,
                            each -> figure(each, table, QUEUED),
                            each -> figure(each, table, QUEUED_MILLIS),
                            TimeUnit.MILLISECONDS)
                    .description("The time in the queue of the JVM")
                    .tags(tags)
                    .register(meters);
        });
    }

    /** Registers a separate meter for each figure, because one statement may be counted in several figures. */
    private void count(RowlockJdbcMXBean control, String table, String figure, Tags tags) {
        String[] words = figure.split("\\.", 2);
        FunctionCounter.builder("rowlock.jdbc." + words[0], control, each -> figure(each, table, figure))
                .description("Statements that the MXBean counts as " + words[0])
                .tags(words.length == 1 ? tags : tags.and("reason", words[1]))
                .register(meters);
    }

    private static long figure(RowlockJdbcMXBean control, String table, String figure) {
        return control.getFigures().getOrDefault(table, Map.of()).getOrDefault(figure, 0L);
    }
}
