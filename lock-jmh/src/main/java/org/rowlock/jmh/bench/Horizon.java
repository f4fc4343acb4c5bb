package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.Sql;

/**
 * The work of {@link Zipfian} while another transaction holds the vacuum horizon: it begins before one measured window and
 * ends before a later one, so that the windows show the fall and the recovery.
 */
public class Horizon extends HotRows {
    static final Scenario SCENARIO = new Scenario(
                    "horizon",
                    Horizon.class,
                    List.of(Point.clients(30)),
                    Variant.withAdmission(),
                    List.of(
                            Metric.higher("horizon.held", "transactions late in the hold", "1/s"),
                            Metric.higher("horizon.before", "before it", "1/s"),
                            Metric.higher("horizon.after", "after it", "1/s"),
                            Metric.lower("horizon.deadTuples", "most dead row versions", ""),
                            Metric.neither("horizon.xminAge", "age of the holder's snapshot", "xids"),
                            Metric.neither("horizon.xidAge", "age of the holder's xid", "xids"),
                            Metric.neither("horizon.others", "age of anybody else's, oldest", "xids"),
                            Metric.percentile("lock", 99, "lock")))
            .timed(Timing.course(30));

    private static final String AGES = """
            select coalesce(max(age(backend_xmin)) filter (where pid = :pid), 0),
                   coalesce(max(age(backend_xid)) filter (where pid = :pid), 0),
                   coalesce(max(greatest(age(backend_xmin), age(backend_xid))) filter (where pid <> :pid), 0),
                   (select n_dead_tup from pg_stat_user_tables where relid = 'accounts'::regclass)
              from (select pid, backend_xmin, backend_xid from pg_stat_activity
                     where datname = current_database() and pid <> pg_backend_pid()
                    union all select -1, xmin, null from pg_replication_slots
                    union all select -1, transaction, null from pg_prepared_xacts where database = current_database()
                    union all select -1, backend_xmin, null from pg_stat_replication) h
            """;

    /** How much of the hold, at its end, stands for what it leads to. */
    private static final double LATE = 1 / 3.0;

    @Param("30")
    public int clients;

    @Param("SNAPSHOT")
    public HorizonHolder.Kind holder = HorizonHolder.Kind.SNAPSHOT;

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
    private @Nullable HorizonHolder holding;

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
            holding = HorizonHolder.begin(server, holder);
        } else if (!holds) {
            release();
        }
    }

    @Override
    void ends(boolean measured, double perSecond) throws SQLException {
        if (!measured) {
            return;
        }
        look(holding == null ? 0 : holding.pid());
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
        meter.gauge("horizon.xidAge", (double) seen[1], "xids");
        meter.gauge("horizon.others", (double) seen[2], "xids");
        meter.gauge("horizon.deadTuples", (double) seen[3], "");
    }

    private void release() throws SQLException {
        HorizonHolder ending = holding;
        holding = null;
        if (ending != null) {
            ending.close();
        }
    }
}
