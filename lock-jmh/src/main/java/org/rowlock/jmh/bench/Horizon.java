package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.postgresql.PGConnection;
import org.rowlock.jmh.server.Sql;

/**
 * The work of {@link Zipfian} while another transaction holds the vacuum horizon: it begins before one measured window
 * and ends before a later one, so that the windows show the fall and the recovery.
 */
public class Horizon extends HotRows {
    private static final String AGES = """
            select coalesce(max(age(backend_xmin)) filter (where pid = :pid), 0),
                   coalesce(max(greatest(age(backend_xmin), age(backend_xid))) filter (where pid <> :pid), 0),
                   (select n_dead_tup from pg_stat_user_tables where relid = 'accounts'::regclass)
              from (select pid, backend_xmin, backend_xid from pg_stat_activity
                     where datname = current_database() and pid <> pg_backend_pid()
                    union all select -1, xmin, null from pg_replication_slots
                    union all select -1, transaction, null from pg_prepared_xacts where database = current_database()
                    union all select -1, backend_xmin, null from pg_stat_replication) h
            """;

    /** Timeouts of a server that would end it before its time, as far as the server knows them. */
    private static final String STAY = "select set_config(name, '0', false) from pg_settings where name in"
            + " ('idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')";

    /** How much of the hold, at its end, stands for what it leads to. */
    private static final double LATE = 1 / 3.0;

    @Param("30")
    public int clients;

    /** The part of the measurement that has passed when the other transaction begins. */
    @Param("0.15")
    public double from;

    /** The part of the measurement that has passed when it ends. */
    @Param("0.75")
    public double until;

    private final List<Double> before = new ArrayList<>();
    private final List<Double> held = new ArrayList<>();
    private final List<Double> after = new ArrayList<>();
    private int windows;
    private Connection monitor;
    private @Nullable Connection holding;

    @Override
    public void open(BenchmarkParams params) throws SQLException {
        windows = params.getMeasurement().getCount();
        super.open(params);
    }

    @Override
    void prepare() throws SQLException {
        atEnd(this::release);
        // That autovacuum comes to one variant and not to another would only be noise.
        create(ROWS, "autovacuum_enabled = off");
        monitor = server.closeWith(server.connect());
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        threads.add("client", clients, number -> client(locking, Zipf.zipf(ROWS, zipf)));
    }

    private int done() {
        return before.size() + held.size() + after.size();
    }

    /** In the window that runs or comes next. */
    private boolean isHeld() {
        return done() >= (int) (windows * from) && done() < Math.ceil(windows * until);
    }

    private List<Double> phase() {
        return done() < (int) (windows * from) ? before : isHeld() ? held : after;
    }

    @Override
    void begins(boolean measured) throws SQLException {
        boolean holds = measured && isHeld();
        if (holds && holding == null) {
            holding = hold();
        } else if (!holds) {
            release();
        }
    }

    @Override
    void ends(boolean measured, double perSecond) throws SQLException {
        if (!measured) {
            return;
        }
        look(holding == null ? 0 : holding.unwrap(PGConnection.class).getBackendPID());
        phase().add(perSecond);
        if (done() == windows) {
            publish("horizon.before", before);
            publish("horizon.held", held.subList((int) (held.size() * (1 - LATE)), held.size()));
            publish("horizon.after", after);
        }
    }

    private void publish(String name, List<Double> rates) {
        rates.stream().mapToDouble(Double::doubleValue).average().ifPresent(mean -> meter.gauge(name, mean, "1/s"));
    }

    private void look(int pid) throws SQLException {
        long[] seen = Sql.numbers(monitor, AGES.replace(":pid", Integer.toString(pid)));
        meter.gauge("horizon.xminAge", (double) seen[0], "xids");
        meter.gauge("horizon.others", (double) seen[1], "xids");
        meter.gauge("horizon.deadTuples", (double) seen[2], "");
    }

    /** A transaction that does nothing and ends late, as a report or a forgotten session does. */
    private Connection hold() throws SQLException {
        Connection connection = server.closeWith(server.connect());
        Sql.execute(connection, STAY);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        Sql.execute(connection, "select 1");
        return connection;
    }

    private void release() throws SQLException {
        try (Connection ending = holding) {
            holding = null;
            if (ending != null) {
                // Fails if the server has ended it already.
                ending.commit();
            }
        }
    }
}
