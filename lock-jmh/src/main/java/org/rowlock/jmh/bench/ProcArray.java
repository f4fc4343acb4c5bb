package org.rowlock.jmh.bench;

import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.Sql;

/**
 * Clients that take nothing but snapshots, 30 a round trip, beside others that connect, which is what is counted. A snapshot
 * takes ProcArrayLock shared, a new session takes it exclusively, and sharers overtake it. A transaction with an id takes it
 * exclusively too when it ends, behind which the sharers queue and new sessions get their turn.
 */
public class ProcArray extends Workload {
    static final Scenario SCENARIO = new Scenario(
                    "lwlocks-procarray",
                    "ProcArray: new connections beside clients that only take snapshots",
                    "Clients run `select 1` 30 times a round trip, each with a snapshot of its own: ProcArrayLock, shared. Ten others"
                            + " connect again and again, for which the server takes it exclusively, and sharers may overtake. The"
                            + " second variant adds one call that assigns a transaction id: its end takes the lock exclusively too,"
                            + " the sharers queue behind it, and newcomers get their turn. How many connections get in? On few cores"
                            + " the processor is what they wait for most.",
                    "150 clients: 33 of 150 new connections never got in; diluted by one call that assigns an xid, they did.",
                    ProcArray.class,
                    Stream.of(150, 30)
                            .map(selecting ->
                                    Point.of(selecting + " clients", selecting).connecting(selecting + 20))
                            .toList(),
                    List.of(
                            new Variant("selects", Map.of("xid", "false"), false),
                            new Variant("selects and an xid", Map.of("xid", "true"), false)),
                    List.of(
                            Metric.throughput("connections that got in"),
                            Metric.lower("out", "that did not within 10 s", "1/s"),
                            Metric.percentile("connecting", 50, "time to connect"),
                            Metric.percentile("connecting", 99, "time to connect"),
                            Metric.lower("connecting.max", "time to connect max", "ms"),
                            Metric.higher("selects", "round trips of 30 selects", "1/s")))
            .timed(Timing.THROUGHPUT);

    private static final int TIMEOUT_SECONDS = 10;
    private static final int SELECTS = 30;
    private static final int NEWCOMERS = 10;
    private static final String ALL = "select 1" + "; select 1".repeat(SELECTS - 1);

    /** The server has no room for another connection. */
    private static final String TOO_MANY_CONNECTIONS = "53300";

    @Param("150")
    public int clients;

    /** Whether each round trip assigns a transaction id too. */
    @Param({"false", "true"})
    public boolean xid;

    private final LongAdder xids = new LongAdder();

    @Override
    void prepare() throws SQLException {
        PGSimpleDataSource dataSource = server.dataSource();
        dataSource.setSocketTimeout(TIMEOUT_SECONDS);
        Connection monitor = server.closeWith(server.connect());
        long before = nextXid(monitor);
        atEnd(() -> checkXids(nextXid(monitor) - before));
        List<Connection> connections = server.sessions(clients);
        LongAdder out = meter.count("out");
        threads.add("newcomer", NEWCOMERS, number -> {
            Latency connecting = meter.latency("connecting");
            return () -> {
                boolean in = connect(dataSource, connecting);
                out.add(in ? 0 : 1);
                return in ? 1 : 0;
            };
        });
        threads.addBeside("selects", clients, number -> () -> select(connections.get(number)));
    }

    private static boolean connect(PGSimpleDataSource dataSource, Latency connecting) throws SQLException {
        connecting.begin();
        try {
            Connection connection = dataSource.getConnection();
            connecting.end();
            connection.close();
            return true;
        } catch (SQLException e) {
            if (TOO_MANY_CONNECTIONS.equals(e.getSQLState()) || e.getCause() instanceof SocketTimeoutException) {
                connecting.end();
                return false;
            }
            throw e;
        }
    }

    private int select(Connection connection) throws SQLException {
        int ones = 0;
        try (Statement statement = connection.createStatement()) {
            boolean more = statement.execute(xid ? ALL + "; select 1 where pg_current_xact_id() is not null" : ALL);
            while (more) {
                try (ResultSet row = statement.getResultSet()) {
                    row.next();
                    ones += row.getInt(1);
                }
                more = statement.getMoreResults();
            }
        }
        xids.add(xid ? 1 : 0);
        if (ones != SELECTS + (xid ? 1 : 0)) {
            throw new InvariantViolation(ones + " selects gave their 1");
        }
        return 1;
    }

    private static long nextXid(Connection monitor) throws SQLException {
        return Sql.number(monitor, "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    }

    private void checkXids(long assigned) {
        if (assigned < xids.sum()) {
            throw new InvariantViolation(
                    xids.sum() + " transaction ids were asked for, and " + assigned + " were assigned");
        }
    }
}
