package org.rowlock.spring.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.rowlock.jdbc.RowlockJdbcMXBean;

/**
 * Meters of lock-jdbc, with the tags {@code datasource} and {@code table}. The table is empty for statements without a
 * recognised table.
 * <table> <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>what</th></tr>
 * <tr><td>{@code rowlock.jdbc.recognised}, {@code .wouldQueue}, {@code .fronted}, {@code .frontGivenUp}</td>
 * <td>counter</td><td>statements that lock a recognised row; among them those that would queue, those with a lock in
 * front, and those that gave it up</td></tr>
 * <tr><td>{@code rowlock.jdbc.passed}</td><td>counter</td><td>statements that went to the server as they are, by the
 * tag {@code reason}</td></tr>
 * <tr><td>{@code rowlock.jdbc.queue}</td><td>timer</td><td>the time in the queue of the JVM</td></tr>
 * <tr><td>{@code rowlock.jdbc.waiting}</td><td>gauge</td><td>the threads of the JVM that now wait for their turn;
 * without a table</td></tr>
 * </table>
 *
 * <p>Tables appear when they are first seen, at most one reading of the meters later. Thread-safe.
 */
public final class JdbcMetrics {
    private static final String PASSED = "passed.";
    private static final String QUEUED = "queued";
    private static final String QUEUED_MILLIS = "queuedMillis";

    private final MeterRegistry meters;

    /**
     * Creates meters without a DataSource.
     *
     * @param meters the registry of the meters
     */
    public JdbcMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /**
     * Registers the meters of a DataSource.
     *
     * @param dataSource its name
     * @param control its figures
     */
    public void bind(String dataSource, RowlockJdbcMXBean control) {
        Gauge.builder("rowlock.jdbc.waiting", control, each -> {
                    // Tables are not known before they are used, so the next reading adds the new ones.
                    bindTables(dataSource, each);
                    return each.getQueued();
                })
                .description("Threads that wait in the JVM for their turn to wait for a row lock")
                .tags("datasource", dataSource)
                .strongReference(true)
                .register(meters);
        bindTables(dataSource, control);
    }

    /** Registers the meters of tables. A registry keeps a meter that it already has. */
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

    /**
     * Registers a meter for each figure, because a statement can count in several. The reasons share a meter with a
     * tag, because each statement has only one.
     */
    private void count(RowlockJdbcMXBean control, String table, String figure, Tags tags) {
        boolean passed = figure.startsWith(PASSED);
        FunctionCounter.builder(
                        "rowlock.jdbc." + (passed ? "passed" : figure), control, each -> figure(each, table, figure))
                .description(
                        passed
                                ? "Statements that went to the server as they are, by the reason"
                                : "Statements with the figure " + figure + ", as the MXBean has it")
                .tags(passed ? tags.and("reason", figure.substring(PASSED.length())) : tags)
                .register(meters);
    }

    private static long figure(RowlockJdbcMXBean control, String table, String figure) {
        return control.getFigures().getOrDefault(table, Map.of()).getOrDefault(figure, 0L);
    }
}
