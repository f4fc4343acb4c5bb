package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/** {@code select 1}, by as many clients as there are: what the way to the server takes, and how much it carries. */
public class NetworkCapacity extends Workload {
    private static final int CLIENTS = 90;

    static final Scenario SCENARIO = new Scenario(
                    "network",
                    "What the way to the server carries",
                    CLIENTS
                            + " clients run `select 1` without a pause, over networks of 0 to 5 ms. The round trip is that of one client"
                            + " alone. Where the round trips are far fewer than clients / round trip, the proxy or this machine is at"
                            + " its limit, and other scenarios over the same network must stay below.",
                    "",
                    NetworkCapacity.class,
                    Stream.of(0.0, 0.25, 0.5, 1.0, 5.0)
                            .map(rtt -> Point.clients(CLIENTS).over(rtt))
                            .toList(),
                    List.of(new Variant("select 1", Map.of(), false)),
                    List.of(
                            Metric.throughput("round trips"),
                            Metric.neither("net.roundTrip", "round trip of one client", "ms"),
                            Metric.percentile("trip", 50, "round trip of each"),
                            Metric.percentile("trip", 99, "round trip of each")))
            .timed(Timing.THROUGHPUT);

    @Param("90")
    public int clients;

    @Override
    void prepare() throws SQLException {
        List<Connection> connections = server.sessions(clients);
        threads.add("client", clients, number -> {
            Latency trip = meter.latency("trip");
            Connection connection = connections.get(number);
            return () -> {
                trip.begin();
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("select 1")) {
                    row.next();
                    if (row.getInt(1) != 1) {
                        throw new InvariantViolation("select 1 gave " + row.getInt(1));
                    }
                }
                trip.end();
                return 1;
            };
        });
    }
}
