package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockRelease;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jmh.server.BenchmarkServer;

/** SELECT ... FOR UPDATE as it is, through the plain pool and through lock-jdbc's DataSource in front of it. */
public class DropInWorkload extends Workload {
    static final String PLAIN = "plain";

    /**
     * lock-jdbc's line at the start would stand among the progress of every measurement. Kept, as loggers are
     * forgotten.
     */
    private static final Logger LOG = Logger.getLogger("org.rowlock");

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
            return;
        }
        Accounts accounts = Accounts.create(server, rows);
        atEnd(autocommit ? () -> accounts.checkSum(raised.sum()) : accounts::check);
        ThreadLocal<Latency> lock = ThreadLocal.withInitial(() -> meter.latency("lock"));
        addClients(clients, rows, zipf, aid -> {
            if (autocommit) {
                raise(dataSource, aid);
            } else {
                update(dataSource, aid, lock.get());
            }
        });
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
