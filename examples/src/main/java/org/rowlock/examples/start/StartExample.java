package org.rowlock.examples.start;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TcpProxy;

/**
 * Starts an example on an embedded PostgreSQL, which ends with the program. The exit status is 0 only if the result is
 * right.
 */
public final class StartExample {
    private static final Map<String, Example> EXAMPLES = new TreeMap<>(Map.of(
            "transfer",
            new TransferExample(),
            "queue",
            new QueueExample(),
            "seats",
            new SeatsExample(),
            "hot-row",
            new HotRowExample()));

    private final PrintStream out;
    private final PrintStream err;

    StartExample(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs an example and ends the program.
     *
     * @param arguments the name of the example
     */
    public static void main(String[] arguments) {
        System.exit(new StartExample(System.out, System.err).run(String.join(" ", arguments)));
    }

    int run(String name) {
        Example example = EXAMPLES.get(name);
        if (example == null) {
            err.println((name.isEmpty() ? "No example is named." : "There is no example called " + name + ".")
                    + " Name one of these, as in ./rowlock example seats:");
            EXAMPLES.forEach((each, known) -> err.printf("  %-10s%s%n", each, known.title()));
            return 1;
        }
        out.println("Starting an embedded PostgreSQL ...");
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start()) {
            PGSimpleDataSource database = new PGSimpleDataSource();
            database.setUrl(server.getJdbcUrl("postgres", "postgres"));
            return run(example, database);
        } catch (IOException e) {
            err.println("The embedded PostgreSQL failed: " + e.getMessage());
            return 1;
        }
    }

    int run(Example example, PGSimpleDataSource server) {
        out.println(example.title() + ".");
        try (TcpProxy network = TcpProxy.to(server);
                HikariDataSource pool = new HikariDataSource()) {
            if (!example.roundTrip().isZero()) {
                network.delay(example.roundTrip(), Duration.ZERO);
                network.through(server);
            }
            pool.setDataSource(server);
            pool.setMaximumPoolSize(example.threads());
            execute(pool, example.tables());
            example.run(pool).forEach(out::println);
            return 0;
        } catch (IOException e) {
            err.println("The proxy between the example and the database failed: " + e.getMessage());
        } catch (Exception e) {
            err.println("The example failed: " + e.getMessage());
        }
        return 1;
    }

    /** Runs statements in autocommit. */
    static void execute(DataSource dataSource, List<String> statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
