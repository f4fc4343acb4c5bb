package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.testing.ChildJvm;
import org.rowlock.testing.TestDatabase;

/** Processes that want one row and do not know of each other: nothing is lost, and each sees that there are others. */
@Tag("long")
class SeveralJvmsTest {
    private static final int THREADS = 10;
    private static final String READY = "ready";
    private static final String FRONTED = "fronted";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Test
    void othersAreSeenAndNothingIsLost() throws Exception {
        List<Jvm> jvms = new ArrayList<>();
        try {
            for (LockFront front : List.of(LockFront.ADAPTIVE, LockFront.ADAPTIVE, LockFront.NEVER)) {
                jvms.add(Jvm.start(database.dataSource(), front));
            }
            for (Jvm jvm : jvms) {
                jvm.await(READY);
            }
            for (Jvm jvm : jvms) {
                jvm.begin();
            }
            jvms.get(0).await(FRONTED);
            jvms.get(1).await(FRONTED);
            long commits = 0;
            for (Jvm jvm : jvms) {
                commits += jvm.end();
            }
            assertThat(commits).isPositive();
            assertThat(database.query("select balance from account")).isEqualTo(Long.toString(commits));
        } finally {
            jvms.forEach(Jvm::close);
        }
    }

    private record Jvm(Process process, Queue<String> said) {
        static Jvm start(PGSimpleDataSource target, LockFront front) throws IOException {
            Queue<String> said = new ConcurrentLinkedQueue<>();
            Process process =
                    ChildJvm.start(Main.class, "64m", ProcessBuilder.Redirect.INHERIT, said, target, front.name());
            return new Jvm(process, said);
        }

        void await(String line) {
            TestDatabase.await(line)
                    .atMost(TestDatabase.DEADLINE.multipliedBy(2))
                    .failFast("The process has ended", () -> !process.isAlive())
                    .until(() -> said.contains(line));
        }

        void begin() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        }

        /** Lets it end, and gives how many transactions it has committed. */
        long end() throws IOException {
            process.getOutputStream().close();
            TestDatabase.await().until(() -> !process.isAlive());
            TestDatabase.await().until(() -> said.stream().anyMatch(line -> line.startsWith("commits ")));
            assertThat(said).noneMatch(line -> line.startsWith("failed") || line.startsWith(ChildJvm.UNREADABLE));
            return said.stream()
                    .filter(line -> line.startsWith("commits "))
                    .mapToLong(line -> Long.parseLong(line.substring("commits ".length())))
                    .sum();
        }

        void close() {
            process.destroyForcibly();
        }
    }

    /** Some clients, in a process of their own, until its input ends. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws Exception {
            PGSimpleDataSource plain = ChildJvm.database(args);
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicLong commits = new AtomicLong();
            try (RowlockDataSource dataSource = RowlockDataSource.wrap(plain, "test", Map.of("front", args[3]))) {
                List<Connection> connections = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    connections.add(dataSource.getConnection());
                }
                System.out.println(READY);
                System.in.read();
                List<Thread> threads = new ArrayList<>();
                for (Connection connection : connections) {
                    Thread thread = new Thread(() -> work(connection, dataSource, stopped, commits));
                    threads.add(thread);
                    thread.start();
                }
                System.in.read();
                stopped.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
            }
            System.out.println("commits " + commits);
        }

        private static void work(
                Connection connection, RowlockDataSource dataSource, AtomicBoolean stopped, AtomicLong commits) {
            boolean said = false;
            try (connection;
                    PreparedStatement lock =
                            connection.prepareStatement("select balance from account where id = 1 for update");
                    PreparedStatement write =
                            connection.prepareStatement("update account set balance = balance + 1 where id = 1")) {
                connection.setAutoCommit(false);
                while (!stopped.get()) {
                    lock.executeQuery();
                    write.executeUpdate();
                    connection.commit();
                    commits.incrementAndGet();
                    if (!said
                            && dataSource.control().getFigures().get("account").get(FRONTED) > 0) {
                        System.out.println(FRONTED);
                        said = true;
                    }
                }
            } catch (SQLException e) {
                System.out.println("failed " + e.getMessage().replaceAll("\\s+", " "));
            }
        }
    }
}
