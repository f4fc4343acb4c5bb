package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import javax.sql.DataSource;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.TcpProxy;

/**
 * Compares six ways to lock. 64 threads pay 1 into accounts. A payment locks the account, reads the balance and writes
 * the new balance. The payments that Rowlock sends in groups do not read the balance. If two payments ever hold the
 * lock at the same time, an update is lost, and the check of the money fails.
 *
 * <p>The option {@code --rtt 0.5ms} simulates a network with that round-trip time. The property {@code -Drowlock.url}
 * names your own server, on which the demo works in a separate schema. The exit status is 0 only if the money is right.
 */
public final class Demo {
    private static final int THREADS = 64;
    private static final int ROUNDS = 3;
    private static final long SLICE_NANOS = Long.getLong("rowlock.demo.millis", 1000) * 1_000_000;
    private static final String LINE = "%-18s %-27s %6s  %-18s %6s %6s  %s%n";
    private static final String READ = "select balance from account where id = ?";
    private static final String WRITE = "update account set balance = ? where id = ?";

    private interface Payment {
        void into(int id) throws SQLException;
    }

    /** A way to pay, with its figures: the payments per second of each round, and the latencies of the last round. */
    private record Way(String name, Payment payment, List<Double> rates, ConcurrentHistogram micros) {
        Way(String name, Payment payment) {
            this(name, payment, Arrays.asList(new Double[ROUNDS]), new ConcurrentHistogram(3));
        }
    }

    private final DataSource pool;
    private final AtomicIntegerArray paid = new AtomicIntegerArray(101);
    private final TreeSet<String> wrong = new TreeSet<>();

    private Demo(DataSource pool) {
        this.pool = pool;
    }

    /** Runs the demo and ends the program. The class describes the options. */
    public static void main(String[] options) {
        String url = System.getProperty("rowlock.url", "");
        int status = 1;
        try (EmbeddedPostgres own = url.isEmpty() ? embedded() : null) {
            if (!String.join(" ", options).matches("(--rtt [\\d.]+ms)?")) {
                throw new IllegalArgumentException("The only option is --rtt, with a time: --rtt 0.5ms.");
            }
            if (!System.getProperty("rowlock.demo.millis", "1000").matches("[1-9]\\d{0,6}")) {
                throw new IllegalArgumentException("-Drowlock.demo.millis needs a number of milliseconds, at least 1.");
            }
            double rtt = options.length == 0 ? 0 : Double.parseDouble(options[1].replace("ms", ""));
            status = at(own == null ? url : own.getJdbcUrl("postgres", "postgres"), rtt, own == null);
        } catch (Exception e) {
            System.err.println("The demo failed: " + e.getMessage());
        }
        System.exit(status);
    }

    private static EmbeddedPostgres embedded() throws IOException {
        // Without these two settings a commit would cost less than on a production server.
        return EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
    }

    private static int at(String url, double rtt, boolean given) throws Exception {
        PGSimpleDataSource server = new PGSimpleDataSource();
        server.setUrl(url);
        server.setCurrentSchema("rowlock_demo");
        // The statement lacks IF NOT EXISTS, because an existing schema may belong to another program.
        execute(server, "create schema rowlock_demo");
        if (given) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(server)));
        }
        execute(server, "create table account as select id, 0 balance from generate_series(1, 100) id");
        execute(server, "alter table account add primary key (id)");
        TcpProxy network = TcpProxy.to(server); // Never closed, because the schema is dropped through it.
        network.delay(Duration.ofNanos(Math.round(rtt * 1e6)), Duration.ZERO);
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(rtt == 0 ? server : network.through(server));
            pool.setMaximumPoolSize(THREADS);
            return new Demo(pool).compare(rtt);
        }
    }

    private static void drop(DataSource server) {
        try {
            execute(server, "drop schema if exists rowlock_demo cascade");
        } catch (SQLException e) {
            System.err.println("The schema rowlock_demo could not be dropped: " + e.getMessage()
                    + ". Run on the server: drop schema rowlock_demo cascade");
        }
    }

    private static void execute(DataSource server, String sql) throws SQLException {
        try (Connection connection = server.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Way> ways() {
        return List.of(
                new Way("FOR UPDATE by hand", this::byHand),
                new Way("Rowlock's default (ROW)", readAndWrite(LockStrategy.ROW)),
                new Way("BOTH", readAndWrite(LockStrategy.BOTH)),
                new Way("ADVISORY", readAndWrite(LockStrategy.ADVISORY)),
                new Way("ROW, write with the COMMIT", writeWithCommit()),
                new Way("ROW, in groups of up to 32", grouped()));
    }

    private void byHand(int id) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement lock = connection.prepareStatement(READ + " for update");
                    PreparedStatement write = connection.prepareStatement(WRITE)) {
                lock.setInt(1, id);
                ResultSet row = lock.executeQuery();
                row.next();
                write.setInt(1, row.getInt(1) + 1);
                write.setInt(2, id);
                write.executeUpdate();
            }
            connection.commit();
        }
    }

    private Payment readAndWrite(LockStrategy strategy) {
        RowLocks locks = RowLocks.builder(pool).strategy(strategy).build();
        return id -> locks.lock(forUpdate(row("account", id)))
                .read(READ, Integer.class, id)
                .inTransaction(tx -> {
                    try (PreparedStatement write = tx.connection().prepareStatement(WRITE)) {
                        write.setInt(1, tx.row() + 1);
                        write.setInt(2, id);
                        return write.executeUpdate();
                    }
                });
    }

    private Payment writeWithCommit() {
        RowLocks locks = RowLocks.of(pool);
        return id -> locks.lock(forUpdate(row("account", id)))
                .read(READ, Integer.class, id)
                .inTransaction(tx -> tx.atCommit(WRITE, tx.row() + 1, id));
    }

    private Payment grouped() {
        RowLocks locks = RowLocks.builder(pool).largestGroup(32).build();
        return id -> locks.lock(forUpdate(row("account", id)))
                .execute("update account set balance = balance + 1 where id = ?", id);
    }

    private int compare(double rtt) throws Exception {
        String table = LINE.formatted("", "", "tx/s", "times by hand", "p50 ms", "p99 ms", "money");
        for (int accounts : new int[] {1, 100}) {
            String rows = accounts == 1 ? "one row" : "100 rows, zipfian";
            List<Way> ways = ways();
            // The first round warms up the JVM and the server, and is not measured.
            for (int round = -1; round < ROUNDS; round++) {
                for (Way way : ways) {
                    way.micros().reset();
                    System.out.printf("\r%s, round %d of %d: %-40s", rows, round + 1, ROUNDS, way.name());
                    way.rates().set(Math.max(round, 0), measure(way, accounts));
                }
            }
            for (Way way : ways) {
                double rate = way.rates().stream().sorted().toList().get(ROUNDS / 2);
                long p50 = way.micros().getValueAtPercentile(50) / 1000;
                long p99 = way.micros().getValueAtPercentile(99) / 1000;
                String money = wrong.contains(way.name()) ? "WRONG" : "right";
                table += LINE.formatted(rows, way.name(), (int) rate, times(way, ways.get(0)), p50, p99, money);
            }
            table += "On %s: Rowlock's default has %s, and groups have %s times the throughput of FOR UPDATE by hand.%n"
                    .formatted(rows, times(ways.get(1), ways.get(0)), times(ways.get(5), ways.get(0)));
        }
        System.out.printf("%n%d threads, a network of %s ms, median of %d rounds:%n%s", THREADS, rtt, ROUNDS, table);
        return wrong.isEmpty() ? 0 : 1;
    }

    private static String times(Way way, Way byHand) {
        double[] times = new double[ROUNDS];
        Arrays.setAll(times, round -> way.rates().get(round) / byHand.rates().get(round));
        Arrays.sort(times);
        return "%.2f (%.2f-%.2f)".formatted(times[ROUNDS / 2], times[0], times[ROUNDS - 1]);
    }

    private double measure(Way way, int accounts) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        long start = System.nanoTime();
        Callable<Void> client = () -> {
            var ids = RejectionInversionZipfSampler.of(RandomSource.XO_SHI_RO_256_PP.create(), accounts, 1.1);
            for (long now = start; now - start < SLICE_NANOS; ) {
                int id = ids.sample();
                long asked = System.nanoTime();
                way.payment().into(id);
                paid.incrementAndGet(id);
                now = System.nanoTime();
                way.micros().recordValue((now - asked) / 1000);
            }
            return null;
        };
        for (Future<Void> done : threads.invokeAll(Collections.nCopies(THREADS, client))) {
            done.get();
        }
        threads.shutdown();
        double rate = way.micros().getTotalCount() * 1e9 / (System.nanoTime() - start);
        // The balance of each account must be the amount that the threads paid into the account.
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select id, balance from account")) {
            while (row.next()) {
                if (paid.getAndSet(row.getInt(1), row.getInt(2)) != row.getInt(2)) {
                    wrong.add(way.name());
                }
            }
        }
        return rate;
    }
}
