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
 * Meters of lock-jdbc, with the tags {@code datasource} and {@code table}; those of no table that was recognised have
 * an empty one.
 *
 * <table> <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>what</th></tr>
 * <tr><td>{@code rowlock.jdbc.recognised}, {@code .wouldQueue}, {@code .fronted}, {@code .frontGivenUp}</td>
 * <td>counter</td><td>statements: those that lock a row that was recognised, of these those that would queue, those
 * with a lock in front, and those that waited for it too long</td></tr>
 * <tr><td>{@code rowlock.jdbc.passed}</td><td>counter</td><td>statements that went to the server as they are, by the
 * tag {@code reason}</td></tr>
 * <tr><td>{@code rowlock.jdbc.queue}</td><td>timer</td><td>the time in the queue of the JVM</td></tr>
 * <tr><td>{@code rowlock.jdbc.waiting}</td><td>gauge</td><td>the threads of the JVM that wait for their turn now;
 * without table</td></tr>
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
     * Meters of no DataSource yet.
     *
     * @param meters where they are registered
     */
    public JdbcMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /**
     * Registers the meters of a DataSource.
     *
     * @param dataSource what it is called
     * @param control what it reports
     */
    public void bind(String dataSource, RowlockJdbcMXBean control) {
        Gauge.builder("rowlock.jdbc.waiting", control, each -> {
                    // Tables are not known before they are used; so a reader finds the new ones the next time.
                    bindTables(dataSource, each);
                    return each.getQueued();
                })
                .description("Threads that wait in the JVM for their turn to wait for a row lock")
                .tags("datasource", dataSource)
                .strongReference(true)
                .register(meters);
        bindTables(dataSource, control);
    }

    /** A registry keeps the meter that it has. */
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

    /** A meter for each figure, as a statement can count in several; but for the reasons, of which each has one. */
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
