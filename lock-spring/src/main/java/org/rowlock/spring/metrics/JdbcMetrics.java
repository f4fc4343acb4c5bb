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
 * <td>counter</td><td>statements that lock a recognised row: the total number, the number that would queue, the number
 * with a front lock, and the number that gave up the front lock</td></tr>
 * <tr><td>{@code rowlock.jdbc.passed}</td><td>counter</td><td>statements that went to the server without queueing, by
 * the tag {@code reason}</td></tr>
 * <tr><td>{@code rowlock.jdbc.queue}</td><td>timer</td><td>the time in the queue of the JVM</td></tr>
 * <tr><td>{@code rowlock.jdbc.waiting}</td><td>gauge</td><td>the threads that now wait in the queues of the JVM;
 * without the tag {@code table}</td></tr>
 * </table>
 *
 * <p>Each other figure of {@link RowlockJdbcMXBean} has a counter too. The meters of a table appear after its first
 * statement, at the first or second reading of the meters. Thread-safe.
 */
public final class JdbcMetrics {
    private static final String PASSED = "passed.";
    private static final String QUEUED = "queued";
    private static final String QUEUED_MILLIS = "queuedMillis";

    private final MeterRegistry meters;

    /**
     * Creates an object that has no DataSource yet.
     *
     * @param meters the registry of the meters
     */
    public JdbcMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /**
     * Registers the meters of a DataSource.
     *
     * @param dataSource the name of the DataSource
     * @param control the figures of the DataSource
     */
    public void bind(String dataSource, RowlockJdbcMXBean control) {
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

    /**
     * Registers a separate meter for each figure, because one statement may be counted in several figures. The reasons
     * why statements did not queue share one meter with the tag {@code reason}, because a statement has only one such
     * reason.
     */
    private void count(RowlockJdbcMXBean control, String table, String figure, Tags tags) {
        boolean passed = figure.startsWith(PASSED);
        FunctionCounter.builder(
                        "rowlock.jdbc." + (passed ? "passed" : figure), control, each -> figure(each, table, figure))
                .description(
                        passed
                                ? "Statements that were sent without queueing, by reason"
                                : "Statements with the figure " + figure + ", as the MXBean has it")
                .tags(passed ? tags.and("reason", figure.substring(PASSED.length())) : tags)
                .register(meters);
    }

    private static long figure(RowlockJdbcMXBean control, String table, String figure) {
        return control.getFigures().getOrDefault(table, Map.of()).getOrDefault(figure, 0L);
    }
}
