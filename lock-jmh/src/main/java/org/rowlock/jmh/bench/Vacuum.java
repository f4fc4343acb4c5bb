package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.BenchmarkParams;
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

    /** The fractions of the measurement after which the hold begins, shows its full effect, and ends. */
    private static final double FROM = 0.25;

    private static final double LATE = 0.5;
    private static final double UNTIL = 0.75;

    /** Whether a transaction holds the vacuum horizon. Autovacuum is then off. */
    @Param("true")
    public boolean held;

    private final LongAccumulator longestGapNanos = new LongAccumulator(Math::max, 0);
    private final AtomicLong latest = new AtomicLong();
    private int windows;
    private int measured;
    private Connection monitor;
    private @Nullable Connection holding;

    @Override
    public void open(BenchmarkParams params) throws SQLException {
        windows = params.getMeasurement().getCount();
        super.open(params);
    }

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

    @Override
    void begins(boolean isMeasured) throws SQLException {
        if (held && isMeasured && measured == at(FROM)) {
            holding = hold();
        } else if (holding != null && measured == at(UNTIL)) {
            holding.close();
            holding = null;
        }
        latest.set(System.nanoTime());
        longestGapNanos.reset();
    }

    private int at(double part) {
        return (int) Math.ceil(windows * part);
    }

    @Override
    void ends(boolean isMeasured, Published results) throws SQLException {
        long gap = Math.max(longestGapNanos.get(), System.nanoTime() - latest.get());
        results.put("vacuum.stall", gap / 1e6, "ms");
        long[] seen = Jdbc.numbers(monitor, SEEN);
        results.put("vacuum.xminAge", (double) seen[0], "xids");
        results.put("vacuum.deadTuples", (double) seen[1], "");
        results.put("vacuum.runs", (double) seen[2], "");
        if (held && isMeasured) {
            boolean isEarly = measured >= at(FROM) && measured < at(LATE);
            String phase = measured < at(FROM) ? "before" : measured < at(UNTIL) ? "held" : "after";
            // Each window sets only the rate of its phase. The published rate is therefore the mean over the windows of
            // that phase.
            results.put(isEarly ? "vacuum.falling" : "vacuum." + phase, results.perSecond(), "1/s");
            measured++;
        }
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
