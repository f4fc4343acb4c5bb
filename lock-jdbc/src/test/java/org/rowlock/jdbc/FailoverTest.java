package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * An application on a primary with a synchronous standby, and one parameter of its URL: the network to the standby
 * hangs while all clients want one row, the primary is killed, and the standby takes over.
 */
@Tag("long")
class FailoverTest {
    /** So few that all of them go to the server. */
    private static final int CLIENTS = 8;

    private static final int ENOUGH = 200;

    @Test
    void everyAcknowledgedCommitIsOnTheStandby() throws Exception {
        try (Application application = new Application("rowlock.release=early", "on")) {
            application.awaitAcknowledged(ENOUGH);
            Awaitility.await("commits were released early")
                    .atMost(TestDatabase.DEADLINE)
                    .until(() -> application.releasedEarly() >= ENOUGH);
            application.network.freeze();
            // Each has committed, or waits for the row of one who has.
            Awaitility.await("nobody is acknowledged any more")
                    .atMost(TestDatabase.DEADLINE)
                    .until(() -> application
                            .onPrimary("select count(*) from pg_stat_activity where application_name = 'shop'"
                                    + " and (wait_event = 'SyncRep' or wait_event_type = 'Lock')")
                            .equals(Integer.toString(CLIENTS)));
            application.failOver();

            assertThat(application.lost()).isEmpty();
            // All or nothing of each.
            assertThat(application.onStandby("select balance from account where id = 1"))
                    .isEqualTo(application.onStandby("select count(*) from entry"));
        }
    }

    /**
     * The control: what is acknowledged before the standby has it goes with the primary. Else the other test shows
     * nothing.
     */
    @Test
    void acknowledgedBeforeTheStandbyHasItCommitsAreLost() throws Exception {
        try (Application application = new Application("rowlock.release=early", "local")) {
            application.awaitAcknowledged(ENOUGH);
            application.network.freeze();
            application.awaitAcknowledged(application.acknowledged.size() + ENOUGH);
            application.failOver();

            assertThat(application.lost()).isNotEmpty();
        }
    }

    /**
     * Clients that add to one balance and enter that under a number, or read what others have, until a commit fails.
     */
    private static final class Application implements AutoCloseable {
        private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
        private final AtomicInteger numbers = new AtomicInteger();
        private final AtomicReference<RuntimeException> tooEarly = new AtomicReference<>();
        private final List<Thread> clients = new ArrayList<>();
        private final StreamingPair pair;
        private final TcpProxy network;
        private final String url;
        private final HikariDataSource pool;
        private volatile boolean failedOver;

        Application(String parameter, String synchronousCommit) throws Exception {
            pair = StreamingPair.start();
            network = TcpProxy.to("127.0.0.1", pair.ports().get(0));
            run(
                    pair.primary(),
                    "create table account (id int primary key, balance int not null)",
                    "insert into account values (1, 0)",
                    "create table entry (id int primary key)");
            run(pair.primary(), EarlyRead.TABLES.toArray(String[]::new));
            pair.awaitReplay();
            run(
                    pair.standby(),
                    "alter system set primary_conninfo = 'host=127.0.0.1 port=" + network.port()
                            + " user=postgres application_name=standby'",
                    "select pg_reload_conf()");
            run(pair.primary(), "alter system set synchronous_standby_names = 'standby'", "select pg_reload_conf()");
            Awaitility.await("the standby is synchronous, by the other way")
                    .atMost(TestDatabase.DEADLINE)
                    .until(() -> onPrimary("select count(*) from pg_stat_replication where sync_state = 'sync'"
                                    + " and state = 'streaming'")
                            .equals("1"));
            String plain = pair.primary().url().replace("jdbc:", "jdbc:rowlock:");
            url = plain + (plain.contains("?") ? "&" : "?") + parameter;
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(pair.primary().user());
            config.setPassword(pair.primary().password());
            config.addDataSourceProperty("ApplicationName", "shop");
            config.addDataSourceProperty("options", "-c synchronous_commit=" + synchronousCommit);
            config.setMaximumPoolSize(CLIENTS);
            config.setAutoCommit(false);
            pool = new HikariDataSource(config);
            for (int i = 0; i < CLIENTS; i++) {
                Thread client = new Thread(this::work, "client-" + i);
                client.setDaemon(true);
                clients.add(client);
                client.start();
            }
        }

        private void work() {
            Random random = new Random();
            try {
                while (true) {
                    int number = numbers.incrementAndGet();
                    try (Connection connection = pool.getConnection()) {
                        if (random.nextInt(3) == 0) {
                            acknowledged.addAll(EarlyRead.readByAny(connection, 1 + number % EarlyRead.MOST, random));
                            continue;
                        }
                        pay(connection, number);
                        connection.commit();
                        acknowledged.add(number);
                    }
                }
            } catch (SQLException e) {
                if (!failedOver) {
                    tooEarly.compareAndSet(null, new IllegalStateException("A client failed before the primary", e));
                }
            }
        }

        private static void pay(Connection connection, int number) throws SQLException {
            try (Statement statement = connection.createStatement();
                    PreparedStatement entry = connection.prepareStatement("insert into entry values (?)")) {
                statement.execute("select balance from account where id = 1 for update");
                statement.execute("update account set balance = balance + 1 where id = 1");
                entry.setInt(1, number);
                entry.executeUpdate();
            }
        }

        void awaitAcknowledged(int commits) {
            Awaitility.await(commits + " acknowledged commits")
                    .atMost(TestDatabase.DEADLINE)
                    .until(() -> {
                        RuntimeException failure = tooEarly.get();
                        if (failure != null) {
                            throw failure;
                        }
                        return acknowledged.size() >= commits;
                    });
        }

        long releasedEarly() throws SQLException {
            return RowlockDriver.control(url, null).getFigures().get("account").get("releasedEarly");
        }

        /** Kills the primary with all its processes, and promotes the standby. */
        void failOver() throws Exception {
            Path pidFile = Path.of(onPrimary("show data_directory")).resolve("postmaster.pid");
            failedOver = true;
            ProcessHandle postmaster = ProcessHandle.of(
                            Long.parseLong(Files.readAllLines(pidFile).get(0).trim()))
                    .orElseThrow();
            List<ProcessHandle> others = postmaster.children().toList();
            postmaster.destroyForcibly();
            others.forEach(ProcessHandle::destroyForcibly);
            // Or a dead process that nobody reaps would be waited for.
            Files.delete(pidFile);
            for (Thread client : clients) {
                client.join(TestDatabase.DEADLINE.toMillis());
                assertThat(client.isAlive()).isFalse();
            }
            assertThat(tooEarly.get()).isNull();
            assertThat(onStandby("select pg_promote()")).isEqualTo("t");
        }

        /** What was acknowledged and is not on the standby. */
        Collection<Integer> lost() throws SQLException {
            List<Integer> lost = new ArrayList<>(acknowledged);
            try (Connection connection = pair.standby().dataSource().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select id from entry")) {
                Set<Integer> there = ConcurrentHashMap.newKeySet();
                while (rows.next()) {
                    there.add(rows.getInt(1));
                }
                lost.removeAll(there);
            }
            return lost;
        }

        String onPrimary(String sql) throws SQLException {
            return query(pair.primary(), sql);
        }

        String onStandby(String sql) throws SQLException {
            return query(pair.standby(), sql);
        }

        private static String query(TestPostgres server, String sql) throws SQLException {
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getString(1);
            }
        }

        private static void run(TestPostgres server, String... statements) throws SQLException {
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
        }

        @Override
        public void close() throws IOException {
            failedOver = true;
            pool.close();
            network.close();
            pair.close();
        }
    }
}
