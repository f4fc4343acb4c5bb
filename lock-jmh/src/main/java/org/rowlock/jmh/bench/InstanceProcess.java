package org.rowlock.jmh.bench;

import com.google.gson.Gson;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.server.FullPool;

/**
 * A separate process that runs some of the clients of {@link Instances}. The process regularly writes a line with the
 * durations of its transactions in microseconds. The parent process sends three lines: the task, a line that starts the
 * clients, and a line that ends the process. The process also ends when the parent exits.
 */
final class InstanceProcess implements AutoCloseable {
    private static final long LINE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String FAILED = "failed ";
    private static final String VIOLATED = "Invariant violated: ";
    private static final String READY = "ready";
    private static final double ZIPF = 1.1;

    private final Process process;
    private final BufferedReader said;
    private final PrintWriter told;

    /**
     * The parameters of the process, sent as the first line of its input.
     *
     * @param holdMillis the longest random pause of the last client between its updates and the commit
     * @param inside the file of the shared {@link Exclusion}
     * @param ahead how many transactions each client runs on its own row before the measurement
     * @param ownRow the id of the first client's own row
     */
    record Task(
            String url,
            @Nullable String user,
            @Nullable String password,
            String wrapper,
            Strategy strategy,
            boolean admission,
            int clients,
            int rows,
            double holdMillis,
            String inside,
            int ahead,
            int ownRow) {}

    private InstanceProcess(Process process) {
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.told = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /**
     * Starts a process.
     *
     * @param compilers the highest tier of the JIT compilers: 1 excludes the optimizing compiler, and 4 is the JVM's
     *     default
     */
    static InstanceProcess start(int compilers, Task task) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                // Without this option, the JVM may write a warning about its performance data to the standard output.
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=" + compilers,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                InstanceProcess.class.getName());
        InstanceProcess started = new InstanceProcess(
                builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        // The task contains the password. Every user of the machine can read the arguments of a process, so the task is
        // sent as input.
        started.told.println(new Gson().toJson(task));
        return started;
    }

    void awaitReady() {
        String line = line();
        if (!READY.equals(line)) {
            throw new IllegalStateException("A process of clients did not start. It printed: " + line);
        }
    }

    void begin() {
        told.println();
    }

    /** Waits for the next line, records its transactions, and returns their number. */
    int next(Latency transaction) {
        String line = line();
        if (line == null) {
            throw new IllegalStateException("A process of clients has ended");
        }
        String[] all = line.isEmpty() ? new String[0] : line.strip().split(" ", -1);
        for (String micros : all) {
            transaction.record(TimeUnit.MICROSECONDS.toNanos(Long.parseLong(micros)));
        }
        return all.length;
    }

    private @Nullable String line() {
        try {
            String line = said.readLine();
            if (line == null || !line.startsWith(FAILED)) {
                return line;
            }
            String failure = line.substring(FAILED.length());
            throw failure.startsWith(VIOLATED)
                    ? new InvariantViolation(failure.substring(VIOLATED.length()))
                    : new IllegalStateException("A process of clients has failed: " + failure);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void stop() {
        told.println();
        told.close();
        while (line() != null) {
            // The remaining output is not needed.
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) throws IOException {
        ProcessHandle.current().parent().ifPresent(parent -> {
            var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
        });
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Task task = new Gson().fromJson(in.readLine(), Task.class);
        PGSimpleDataSource server = new PGSimpleDataSource();
        server.setUrl(task.url());
        server.setUser(task.user());
        server.setPassword(task.password());
        try (HikariDataSource pool = FullPool.of(task.clients(), server)) {
            run(task, pool, in);
        } catch (SQLException | RuntimeException e) {
            System.out.println(FAILED + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
    }

    private static void run(Task task, DataSource pool, BufferedReader in) throws SQLException, IOException {
        boolean plain = task.wrapper().equals(DropInPool.PLAIN);
        DataSource connections = plain ? pool : DropInPool.of(pool, task.wrapper(), 1);
        Locking locking = new Locking(task.strategy(), task.admission(), connections, Accounts.TABLE, Accounts.ID);
        if (task.clients() > 1 && (task.strategy().isRowlock() || !plain)) {
            locking.locks().verify();
        }
        Clients ahead = new Clients(new Meter());
        ahead.add("ahead", task.clients(), number -> () -> {
            int aid = task.ownRow() + number;
            locking.transaction(aid, connection -> Accounts.updateThrice(connection, aid));
            return 1;
        });
        if (task.ahead() > 0) {
            ahead.start();
            while (ahead.completed() < (long) task.ahead() * task.clients() && !ahead.haveFailed()) {
                LockSupport.parkNanos(LINE_NANOS);
            }
            ahead.stop();
        }
        Exclusion exclusion = Exclusion.among(Path.of(task.inside()), task.rows() + 1);
        Queue<Long> micros = new ConcurrentLinkedQueue<>();
        Clients clients = new Clients(new Meter());
        clients.add("client", task.clients(), number -> {
            DiscreteSampler keys = Zipf.zipf(task.rows(), ZIPF);
            double most = number == task.clients() - 1 ? task.holdMillis() : 0;
            return () -> {
                int aid = keys.sample();
                long begun = System.nanoTime();
                locking.transaction(
                        aid,
                        connection -> exclusion.inside(aid, () -> {
                            Accounts.updateThrice(connection, aid);
                            Clients.pause(most * ThreadLocalRandom.current().nextDouble());
                        }));
                micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
                return 1;
            };
        });
        System.out.println(READY);
        in.readLine();
        clients.start();
        while (!in.ready() && !clients.haveFailed()) {
            LockSupport.parkNanos(LINE_NANOS);
            say(micros);
        }
        clients.stop();
        say(micros);
        exclusion.check();
    }

    private static void say(Queue<Long> micros) {
        StringBuilder line = new StringBuilder();
        for (Long each = micros.poll(); each != null; each = micros.poll()) {
            line.append(each).append(' ');
        }
        System.out.println(line);
    }
}
