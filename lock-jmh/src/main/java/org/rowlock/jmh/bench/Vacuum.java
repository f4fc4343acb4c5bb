package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.Jdbc;

/**
 * Runs the workload of {@link Zipfian} without vacuum or with frequent vacuum. With {@code held}, another transaction
 * holds the vacuum horizon in the middle of the measurement, and the windows show how the throughput falls and
 * recovers. Otherwise autovacuum processes the hot rows as often as the server permits.
 */
public class Vacuum extends Zipfian {
    private static final String HOLDER = "rowlock-jmh horizon";

    private static final String SEEN = """
            select coalesce(max(age(a.backend_xmin)), 0), max(t.n_dead_tup), max(t.autovacuum_count)
              from pg_stat_user_tables t
              left join pg_stat_activity a on a.application_name = '%s'
             where t.relid = 'accounts'::regclass
            """.formatted(HOLDER);

    /** Disables all timeouts that would end the holder's transaction early. Older servers lack some of them. */
    private static final String STAY = "select set_config(name, '0', false) from pg_settings where name in"
            + " ('idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')";

    /** Whether a transaction holds the vacuum horizon. Autovacuum is then off. */
    @Param("true")
    public boolean held;

    private final LongAccumulator longestGapNanos = new LongAccumulator(Math::max, 0);
    private final AtomicLong latest = new AtomicLong();
    private int begun;
    private Connection monitor;
    private @Nullable Connection holding;

    /** Returns the table's settings. Settings of the server are in scenarios.md. */
    @Override
    String storage() {
        return held
                ? "autovacuum_enabled = off"
                : "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50,"
                        + " autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0,"
                        + " autovacuum_analyze_threshold = 50";
    }

    @Override
    void prepare() throws SQLException {
        super.prepare();
        monitor = server.closeWith(server.connect());
    }

    @Override
    void committed() {
        long now = System.nanoTime();
        longestGapNanos.accumulate(now - latest.getAndSet(now));
    }

    /** Begins the hold after a third of the measurement, and ends it after another third. */
    @Override
    void begins(IterationParams window) throws SQLException {
        boolean isMeasured = held && window.getType() == IterationType.MEASUREMENT;
        int third = window.getCount() / 3;
        if (isMeasured && begun == third) {
            holding = hold();
        } else if (isMeasured && holding != null && begun == 2 * third) {
            holding.close();
            holding = null;
        }
        begun += isMeasured ? 1 : 0;
        latest.set(System.nanoTime());
        longestGapNanos.reset();
    }

    @Override
    void ends(Published results) throws SQLException {
        long gap = Math.max(longestGapNanos.get(), System.nanoTime() - latest.get());
        results.put("vacuum.stall", gap / 1e6, "ms");
        long[] seen = Jdbc.numbers(monitor, SEEN);
        results.put("vacuum.xminAge", (double) seen[0], "xids");
        results.put("vacuum.deadTuples", (double) seen[1], "");
        results.put("vacuum.runs", (double) seen[2], "");
        // Each window sets only one of these rates. The published rate is therefore a mean over some of the windows.
        results.put(holding == null ? "vacuum.free" : "vacuum.held", results.perSecond(), "1/s");
    }

    /** Opens a transaction that keeps its snapshot, as a report or a forgotten session does. */
    private Connection hold() throws SQLException {
        Connection connection = server.closeWith(server.connect());
        Jdbc.execute(connection, STAY, "set application_name = '" + HOLDER + "'");
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        Jdbc.execute(connection, "select 1");
        return connection;
    }
}
