package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.bench.InstanceProcess.Task;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.TestDatabase;

class InstanceProcessTest {
    @TempDir
    private Path directory;

    /** The main class of the JVM that starts the process. The test kills this JVM. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] args) throws IOException {
            String task = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
            try (InstanceProcess process = InstanceProcess.start(1, new Gson().fromJson(task, Task.class))) {
                process.awaitReady();
            }
        }
    }

    /** In this test the warm-up transactions never end, so the parent is killed before the measurement. */
    @Test
    void endsWithAParentThatIsKilledBeforeTheMeasurement() throws Exception {
        try (BenchmarkServer server = BenchmarkServer.open(Map.of())) {
            Accounts.create(server, 10);
            PGSimpleDataSource target = server.dataSource();
            String sessions = "select count(*) from pg_stat_activity where application_name = '"
                    + target.getApplicationName() + "' and state is not null and pid <> pg_backend_pid()";
            Task task = new Task(
                    target.getURL(),
                    target.getUser(),
                    target.getPassword(),
                    DropInPool.PLAIN,
                    Strategy.FOR_UPDATE,
                    false,
                    2,
                    5,
                    0,
                    directory.resolve("inside").toString(),
                    Integer.MAX_VALUE,
                    6);
            Process parent = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Parent.class.getName())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            try (var input = parent.getOutputStream()) {
                input.write(new Gson().toJson(task).getBytes(StandardCharsets.UTF_8));
            }
            try {
                TestDatabase.await("the clients run, or " + directory.resolve("log"))
                        .until(() -> !parent.isAlive()
                                || server.numbers("select count(*) from " + Accounts.TABLE + " where xmin <> (select"
                                                + " xmin from " + Accounts.TABLE + " where aid = 1)")[0]
                                        > 0);
                assertThat(parent.isAlive())
                        .as(Files.readString(directory.resolve("log")))
                        .isTrue();
            } finally {
                parent.destroyForcibly().waitFor();
            }
            TestDatabase.await("the process has ended").until(() -> server.numbers(sessions)[0] == 0);
        }
    }
}
