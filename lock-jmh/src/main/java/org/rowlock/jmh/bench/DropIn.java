package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockRelease;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.BenchmarkServer;

/** SELECT ... FOR UPDATE as it is, through the plain pool and through lock-jdbc's DataSource in front of it. */
public class DropIn extends Workload {
    static final String PLAIN = "plain";

    static final List<Metric> METRICS = List.of(
            Metric.throughput("transactions"),
            Metric.percentile("transaction", 50, "transaction"),
            Metric.percentile("transaction", 99, "transaction"));

    static final Scenario SCENARIO = new Scenario(
            "dropin",
            DropIn.class,
            Stream.of(90, 1, 2, 10, 300).map(Point::clients).toList(),
            through(PLAIN, "off", "observe", "queue"),
            List.of(
                    Metric.throughput("transactions"),
                    Metric.percentile("transaction", 50, "transaction"),
                    Metric.percentile("transaction", 99, "transaction"),
                    Metric.percentile("lock", 99, "wait for the lock")));

    /** From a JVM that has done nothing. */
    static final Scenario ORDERS = new Scenario(
                    "dropin-orders",
                    DropIn.class,
                    Stream.of(10, 60, 200)
                            .map(clients -> Point.of(clients + " clients", clients, "warehouses", "2"))
                            .toList(),
                    through(PLAIN, "queue"),
                    METRICS)
            .timed(new Timing(5, 0, 1, 10_000, false));

    /**
     * lock-jdbc's line at the start would stand among the progress of every measurement. Kept, as loggers are
     * forgotten.
     */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

    /** Variants by what stands between the clients and the pool. */
    static List<Variant> through(String... wrappers) {
        return Stream.of(wrappers)
                .map(wrapper -> new Variant(wrapper, Map.of("wrapper", wrapper), false))
                .toList();
    }

    @Param("90")
    public int clients;

    /** plain, or a mode of lock-jdbc. */
    @Param(PLAIN)
    public String wrapper = PLAIN;

    /** How many rows there are; 1 for one hot row. */
    @Param("100")
    public int rows;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /** Whether it is one UPDATE that commits by itself, in place of the transaction. */
    @Param("false")
    public boolean autocommit;

    /** How many warehouses there are that take orders and payments, in place of the rows; 0 for none. */
    @Param("0")
    public int warehouses;

    private final LongAdder raised = new LongAdder();

    @Override
    void prepare() throws SQLException {
        DataSource dataSource = wrap(server, clients, wrapper);
        if (warehouses > 0) {
            Orders.create(server, warehouses);
            atEnd(() -> Orders.check(server));
        } else {
            Accounts accounts = Accounts.create(server, rows);
            atEnd(autocommit ? () -> accounts.checkSum(raised.sum()) : accounts::check);
        }
        threads.add("client", clients, number -> {
            Latency transaction = meter.latency("transaction");
            BenchmarkServer.Step work = work(dataSource);
            return () -> {
                transaction.begin();
                work.run();
                transaction.end();
                return 1;
            };
        });
    }

    private BenchmarkServer.Step work(DataSource dataSource) {
        if (warehouses > 0) {
            return new Orders(dataSource, warehouses)::run;
        }
        DiscreteSampler keys = Zipf.zipf(rows, zipf);
        if (autocommit) {
            return () -> raise(dataSource, keys.sample());
        }
        Latency lock = meter.latency("lock");
        return () -> update(dataSource, keys.sample(), lock);
    }

    private static void update(DataSource dataSource, int aid, Latency lock) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            lock.begin();
            Accounts.lock(connection, aid);
            lock.end();
            Accounts.updateThrice(connection, aid);
            connection.commit();
        }
    }

    private void raise(DataSource dataSource, int aid) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            Accounts.raise(connection, aid);
        }
        raised.increment();
    }

    /** A pool, with what stands in front of it. */
    static DataSource wrap(BenchmarkServer server, int connections, String wrapper) {
        HikariDataSource pool = server.pool(connections);
        return wrapper.equals(PLAIN) ? pool : server.closeWith(wrap(pool, wrapper, LockRelease.PLAIN));
    }

    /** lock-jdbc in front of a pool. */
    static RowlockDataSource wrap(DataSource pool, String mode, LockRelease release) {
        LOG.setLevel(Level.WARNING);
        return RowlockDataSource.builder(pool)
                .mode(RowlockMode.of(mode))
                .release(release)
                .build();
    }
}
