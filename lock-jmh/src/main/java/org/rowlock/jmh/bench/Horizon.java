package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.Jdbc;

/**
 * The work of {@link Zipfian} while another transaction holds the vacuum horizon: it begins before one measured window
 * and ends before a later one, so that the windows show the fall and the recovery.
 */
public class Horizon extends Zipfian {
    private static final String SEEN = """
            select coalesce(max(age(a.backend_xmin)), 0), max(t.n_dead_tup)
              from pg_stat_user_tables t
              left join pg_stat_activity a on a.application_name = 'rowlock-jmh horizon'
             where t.relid = 'accounts'::regclass
            """;

    /**
     * The statement that disables the timeouts by which the server would end the transaction early, as far as this
     * version has them.
     */
    private static final String STAY = "select set_config(name, '0', false) from pg_settings where name in"
            + " ('idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')";

    /** The part at the end of the hold whose rates show the effect of the hold. */
    private static final double LATE = 1 / 3.0;

    /** The part of the measurement that has passed when the other transaction begins. */
    @Param("0.15")
    public double from;

    /** The part of the measurement that has passed when it ends. */
    @Param("0.75")
    public double until;

    /** The rate of each measured window. */
    private final List<Double> rates = new ArrayList<>();

    /** KEEPHZ */
    private int first;

    private int end;
    private int windows;
    private Connection monitor;
    private @Nullable Connection holding;

    @Override
    public void open(BenchmarkParams params) throws SQLException {
        windows = params.getMeasurement().getCount();
        first = (int) (windows * from);
        end = (int) Math.ceil(windows * until);
        super.open(params);
    }

    /** Autovacuum is switched off, because processing one variant and not another would only add noise. */
    @Override
    String storage() {
        return "autovacuum_enabled = off";
    }

    @Override
    void prepare() throws SQLException {
        atEnd(this::release);
        super.prepare();
        monitor = server.closeWith(server.connect());
    }

    @Override
    void begins(boolean measured) throws SQLException {
        if (measured && rates.size() == first) {
            holding = hold();
        } else if (rates.size() == end) {
            release();
        }
    }

    @Override
    void ends(boolean measured, Published results) throws SQLException {
        if (!measured) {
            return;
        }
        long[] seen = Jdbc.numbers(monitor, SEEN);
        results.put("horizon.xminAge", (double) seen[0], "xids");
        results.put("horizon.deadTuples", (double) seen[1], "");
        rates.add(results.perSecond());
        if (rates.size() == windows) {
            publish(results, "horizon.before", 0, first);
            publish(results, "horizon.held", end - (int) Math.ceil((end - first) * LATE), end);
            publish(results, "horizon.after", end, windows);
        }
    }

    private void publish(Published results, String name, int begin, int behind) {
        rates.subList(begin, behind).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .ifPresent(mean -> results.put(name, mean, "1/s"));
    }

    /** Opens a transaction that does nothing and ends late, as a report or a forgotten session would. */
    private Connection hold() throws SQLException {
        Connection connection = server.closeWith(server.connect());
        Jdbc.execute(connection, STAY, "set application_name = 'rowlock-jmh horizon'");
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        Jdbc.execute(connection, "select 1");
        return connection;
    }

    private void release() throws SQLException {
        try (Connection ending = holding) {
            holding = null;
            if (ending != null) {
                // The commit fails if the server has already ended the transaction.
                ending.commit();
            }
        }
    }
}
