package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.rowlock.jdbc.RowlockDriver;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TestDatabase;

/**
 * Runs the AWS Advanced JDBC Wrapper under the drop-in. The primary is killed and the standby is promoted. The wrapper
 * then gives the application's connection another one below it, and the application continues.
 */
@Tag("long")
class AwsFailoverTest {
    private static final int CLIENTS = 6;
    private static final int ENOUGH = 100;

    /**
     * The states of the wrapper after it has a new connection: the transaction is lost, or it is unknown whether it has
     * committed.
     */
    private static final String LOST = "08S02";

    private static final String UNKNOWN = "08007";

    /** The state of a server that is not promoted yet. */
    private static final String READ_ONLY = "25006";

    private final Set<Integer> done = ConcurrentHashMap.newKeySet();
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger failedOver = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean stop;

    @Test
    void eachUnitOfWorkIsDoneOnce() throws Exception {
        try (StreamingPair pair = StreamingPair.start()) {
            pair.primary()
                    .execute(
                            "create table account (id int primary key, balance int not null)",
                            "insert into account values (1, 0)",
                            "create table entry (id int primary key)");
            pair.awaitReplay();
            pair.requireStandbys(StreamingPair.STANDBY);
            String url = "jdbc:rowlock:aws-wrapper:postgresql://127.0.0.1:"
                    + pair.ports().get(0) + ",127.0.0.1:"
                    + pair.ports().get(1)
                    + "/postgres?wrapperPlugins=failover&failoverMode=reader-or-writer&connectTimeout=5";
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Thread client = new Thread(() -> work(url, pair), "client-" + i);
                clients.add(client);
                client.start();
            }
            awaitDone(ENOUGH);
            pair.killPrimary();
            pair.promote();
            awaitDone(done.size() + ENOUGH);
            stop = true;
            for (Thread client : clients) {
                client.join(TestDatabase.DEADLINE.toMillis());
                assertThat(client.isAlive()).isFalse();
            }

            assertThat(failure.get()).isNull();
            assertThat(failedOver.get()).isEqualTo(CLIENTS);
            assertThat(pair.standby().query("select count(*) from entry")).isEqualTo(String.valueOf(done.size()));
            assertThat(pair.standby().query("select balance from account")).isEqualTo(String.valueOf(done.size()));
            // The drop-in recognises the second statement of each transaction on the new connection too.
            assertThat(RowlockDriver.control(url, null)
                            .getFigures()
                            .get("account")
                            .get("passed.NOT_FIRST"))
                    .isGreaterThanOrEqualTo(done.size());
        }
    }

    private void work(String url, StreamingPair pair) {
        Properties login = new Properties();
        login.setProperty("user", pair.primary().user());
        // The embedded server has synchronous_commit off.
        login.setProperty("options", "-c synchronous_commit=on");
        try (Connection connection = DriverManager.getConnection(url, login)) {
            connection.setAutoCommit(false);
            int first = connection.unwrap(PGConnection.class).getBackendPID();
            while (!stop) {
                unit(connection, numbers.incrementAndGet());
            }
            if (connection.unwrap(PGConnection.class).getBackendPID() != first) {
                failedOver.incrementAndGet();
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            stop = true;
        }
    }

    /** Follows the wrapper's manual: it repeats a lost transaction, and first checks one whose outcome is unknown. */
    private void unit(Connection connection, int number) throws SQLException {
        boolean look = false;
        while (!stop || look) {
            try {
                if (!look || !isDone(connection, number)) {
                    pay(connection, number);
                }
                done.add(number);
                return;
            } catch (SQLException e) {
                look = UNKNOWN.equals(e.getSQLState()) || look;
                if (!List.of(LOST, UNKNOWN, READ_ONLY).contains(e.getSQLState())) {
                    throw e;
                }
                if (READ_ONLY.equals(e.getSQLState())) {
                    connection.rollback();
                }
            }
        }
    }

    private static boolean isDone(Connection connection, int number) throws SQLException {
        String found = TestDatabase.query(connection, "select count(*) from entry where id = " + number);
        connection.rollback();
        return found.equals("1");
    }

    private static void pay(Connection connection, int number) throws SQLException {
        try (Statement statement = connection.createStatement();
                PreparedStatement entry = connection.prepareStatement("insert into entry values (?)")) {
            statement.execute("select balance from account where id = 1 for update");
            statement.execute("update account set balance = balance + 1 where id = 1");
            entry.setInt(1, number);
            entry.executeUpdate();
            connection.commit();
        }
    }

    private void awaitDone(int units) {
        TestDatabase.await(units + " units of work").until(() -> failure.get() != null || done.size() >= units);
        assertThat(failure.get()).isNull();
    }
}
