package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;

/** Orders and payments on several tables, from a cold JVM: does lock-jdbc ever make it collapse? */
public class DropInOrders extends Workload {
    static final Scenario SCENARIO = new Scenario(
                    "dropin-orders",
                    "Orders and payments from a cold JVM, with and without lock-jdbc",
                    "A load like TPC-C's on two warehouses: orders take a number from their district, and 5 to 10 items from"
                            + " stock, one SELECT ... FOR UPDATE each; payments update the warehouse, the district and a customer."
                            + " Each measurement begins with a JVM that has done nothing. A run has collapsed where its ratio to"
                            + " the plain one of the same round is below 0.8x.",
                    "",
                    DropInOrders.class,
                    Stream.of(10, 60, 200).map(Point::clients).toList(),
                    DropIn.through(DropIn.PLAIN, "queue", "front"),
                    DropIn.METRICS)
            .timed(new Timing(5, 0, 1, 10_000, false));

    @Param("60")
    public int clients;

    /** plain, or a mode of lock-jdbc. */
    @Param(DropIn.PLAIN)
    public String wrapper = DropIn.PLAIN;

    /** How many warehouses there are, and so how hot they are. */
    @Param("2")
    public int warehouses;

    @Override
    void prepare() throws SQLException {
        Orders.create(server, warehouses);
        atEnd(() -> Orders.check(server));
        DataSource dataSource = DropIn.wrap(server, clients, wrapper);
        threads.add("client", clients, number -> {
            Orders orders = new Orders(dataSource, warehouses);
            Latency transaction = meter.latency("transaction");
            return () -> {
                transaction.begin();
                orders.run();
                transaction.end();
                return 1;
            };
        });
    }
}
