package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** Interrupts the real program, as Ctrl-C does. */
@Tag("long")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "a process there cannot be sent SIGINT")
class InterruptedRunTest {
    private static final String SESSIONS = "pg_stat_activity where application_name like 'rowlock-jmh %'";
    private static final String SCHEMA = "pg_namespace where nspname = 'rowlock_bench'";

    private final TestPostgres server = TestPostgres.shared();

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @TempDir
    private Path directory;

    @Test
    void endsItsForksAndRemovesWhatItMade() throws Exception {
        interruptAtGivenServer(() -> count(SCHEMA) > 0 && count(SESSIONS + " and state <> 'idle'") > 1);
    }

    @Test
    void leavesNothingWhenItHasHardlyBegun() throws Exception {
        interruptAtGivenServer(() -> Files.exists(log()) && Files.size(log()) > 0);
    }

    private void interruptAtGivenServer(Callable<Boolean> isTime) throws Exception {
        interrupt(isTime, "--url", server.url(), "--user", server.user(), "--password=" + server.password());
        assertThat(directory.resolve("report")).as("a report of nothing").doesNotExist();
        assertThat(count(SCHEMA)).isZero();
        // A server process notices the end of its client only after some time.
        TestDatabase.await().until(() -> count(SESSIONS) == 0);
    }

    /** Sends SIGTERM, as the stop of a container does. */
    @Test
    void removesTheCopyOfTheUsersTable() throws Exception {
        database.execute(
                "create table job (id int primary key, n int)",
                "insert into job select n, 0 from generate_series(1, 100) as n");
        String table = database.schema() + ".job";
        List<String> compare = List.of(
                "compare",
                "--yes",
                "--sql="
                        + Files.writeString(
                                directory.resolve("lock.sql"), "select * from " + table + " where id = $1 for update"),
                "--work="
                        + Files.writeString(
                                directory.resolve("work.sql"), "update " + table + " set n = n + 1 where id = $1"),
                "--clients=4",
                "--seconds=600",
                "--url=" + server.url(),
                "--user=" + server.user(),
                "--password=" + server.password());
        kill("-TERM", 143, () -> count(SCHEMA) > 0 && count(SESSIONS + " and state <> 'idle'") > 1, compare);
        assertThat(count(SCHEMA)).isZero();
        TestDatabase.await().until(() -> count(SESSIONS) == 0);
        assertThat(read(log())).contains("Nothing is left behind.");
        assertThat(database.query("select count(*) filter (where n <> 0) from job"))
                .isEqualTo("0");
    }

    private Path log() {
        return directory.resolve("log");
    }

    @Test
    void stopsAndRemovesItsStandby() throws Exception {
        AtomicLong postmaster = new AtomicLong();
        interrupt(
                () -> {
                    postmaster.set(standby());
                    return postmaster.get() > 0;
                },
                "--standby");
        TestDatabase.await("the standby has ended")
                .until(() -> ProcessHandle.of(postmaster.get())
                        .filter(ProcessHandle::isAlive)
                        .isEmpty());
        assertThat(postmasters()).as("a server is left").isEmpty();
    }

    /** Whether the signal comes while the server starts, or while the doors run. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stopsTheServerOfDoors(boolean isRunning) throws Exception {
        AtomicReference<List<Path>> started = new AtomicReference<>(List.of());
        Callable<Boolean> isTime = () -> {
            started.set(postmasters());
            return !started.get().isEmpty() && (!isRunning || read(log()).contains("warm-up"));
        };
        List<String> doors = List.of(
                "compare", "--yes", "--scenario", "doors", "--clients", "2", "--variant", "lock", "--rounds", "1000");
        kill("-TERM", 143, isTime, doors);
        assertThat(started.get()).isNotEmpty();
        assertThat(postmasters()).as("a server is left").isEmpty();
        assertThat(directory.resolve("report")).doesNotExist();
    }

    /** Before any other work, the next run stops and removes everything that a killed program has left. */
    @Test
    void theNextRunRemovesWhatAKilledOneHasLeft() throws Exception {
        AtomicReference<List<Path>> left = new AtomicReference<>(List.of());
        Callable<Boolean> isRunning = () -> {
            left.set(postmasters());
            // A process of initdb also writes a postmaster.pid, but is no server. Only a server writes "ready".
            return !left.get().isEmpty() && read(left.get().get(0)).contains("ready");
        };
        kill("-KILL", 137, isRunning, List.of("compare", "--yes", "--scenario", "clients", "--seconds", "600"));
        long postmaster =
                Long.parseLong(Files.readAllLines(left.get().get(0)).get(0).trim());
        assertThat(ProcessHandle.of(postmaster)).as("it is left").isPresent();
        interrupt(() ->
                ProcessHandle.of(postmaster).filter(ProcessHandle::isAlive).isEmpty());
        assertThat(left.get().get(0)).doesNotExist();
        assertThat(postmasters()).isEmpty();
    }

    private List<Path> postmasters() throws IOException {
        try (Stream<Path> files = Files.walk(directory, 5)) {
            return files.filter(file -> file.endsWith("postmaster.pid")).toList();
        } catch (UncheckedIOException e) {
            // A file was removed during the walk.
            return List.of();
        }
    }

    /** Returns the pid of the standby, found in the temporary files; 0 if there is no standby. */
    private long standby() throws IOException {
        for (Path pidFile : postmasters()) {
            // The primary may rewrite its own file at this moment, so only the standby's file is read.
            List<String> lines = pidFile.toString().contains("standby") ? Files.readAllLines(pidFile) : List.of();
            if (!lines.isEmpty()) {
                return Long.parseLong(lines.get(0).trim());
            }
        }
        return 0;
    }

    /** Runs the program, and sends SIGINT to the program when the condition holds. */
    private void interrupt(Callable<Boolean> isTime, String... options) throws Exception {
        List<String> compare = new ArrayList<>(
                List.of("compare", "--yes", "--scenario", "clients", "--clients", "4", "--seconds", "600"));
        compare.addAll(List.of(options));
        kill("-INT", 130, isTime, compare);
    }

    private void kill(String signal, int status, Callable<Boolean> isTime, List<String> options) throws Exception {
        Path log = log();
        List<String> command = new ArrayList<>(withSignals());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djmh.ignoreLock=true",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                "org.rowlock.jmh.cli.Program"));
        command.addAll(options);
        command.addAll(List.of("--report", directory.resolve("report").toString()));
        Process program = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            TestDatabase.await().until(() -> !program.isAlive() || isTime.call());
            assertThat(program.isAlive()).as(() -> read(log)).isTrue();
            new ProcessBuilder("kill", signal, Long.toString(program.pid()))
                    .start()
                    .waitFor();
            assertThat(program.waitFor(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .as(() -> read(log))
                    .isTrue();
        } finally {
            program.descendants().forEach(ProcessHandle::destroyForcibly);
            program.destroyForcibly();
        }
        assertThat(program.exitValue()).as(() -> read(log)).isEqualTo(status);
    }

    /**
     * Returns the beginning of a command that restores SIGINT if possible. A JVM that a shell has started in the
     * background ignores SIGINT, and its child processes inherit that setting.
     */
    private static List<String> withSignals() throws Exception {
        List<String> env = List.of("env", "--default-signal=INT");
        List<String> probe = new ArrayList<>(env);
        probe.add("true");
        return new ProcessBuilder(probe).start().waitFor() == 0 ? env : List.of();
    }

    private long count(String from) throws SQLException {
        return Long.parseLong(server.query("select count(*) from " + from));
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
