package org.rowlock.jmh.bench;

import com.google.gson.Gson;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * A separate process that runs some of the clients of {@link Instances}. It regularly writes a line with the times of
 * its transactions in microseconds. It works until its input ends, and so ends with its parent.
 */
final class InstanceProcess implements AutoCloseable {
    private static final long LINE_MILLIS = 50;
    private static final String FAILED = "failed ";
    private static final String VIOLATED = "Invariant violated: ";
    private static final String READY = "ready";

    private final Process process;
    private final BufferedReader said;
    private final PrintWriter told;

    /**
     * The task of the process, which is the first line of its input.
     *
     * @param inside the file of the exclusion
     * @param ahead how many transactions each client runs before the measurement
     * @param ownRow the first of the clients' own rows for these
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
            double zipf,
            String inside,
            int ahead,
            int ownRow) {}

    /** The work of a client, by its number, which starts at 0. */
    private interface ClientWork {
        void run(int number) throws SQLException;
    }

    private InstanceProcess(Process process) {
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.told = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /**
     * Starts a process.
     *
     * @param library a class path that precedes the present one; may be empty
     * @param compilers the highest tier of the compilers: 1 is without the optimizing one, and 4 is the default of JVMs
     */
    static InstanceProcess start(String library, int compilers, Task task) throws IOException {
        String classPath = System.getProperty("java.class.path");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + compilers,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                library.isEmpty() ? classPath : library + File.pathSeparator + classPath,
                InstanceProcess.class.getName());
        InstanceProcess started = new InstanceProcess(
                builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        // The task is not an argument, because every user of the machine can read those.
        started.told.println(new Gson().toJson(task));
        return started;
    }

    /** Waits until the process has its connections, and its clients have run their first transactions. */
    void awaitReady() {
        String line = line();
        if (!READY.equals(line)) {
            throw new IllegalStateException("A process of clients did not start; it said " + line);
        }
    }

    void begin() {
        told.println();
    }

    /** Waits for the next line, and returns the number of its transactions. */
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

    /** Lets the process finish its running transactions. */
    void stop() {
        told.close();
        while (line() != null) {
            // The last lines are read, and discarded.
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Task task = new Gson().fromJson(in.readLine(), Task.class);
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(task.clients() + 2, work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        PGSimpleDataSource server = new PGSimpleDataSource();
        server.setUrl(task.url());
        server.setUser(task.user());
        server.setPassword(task.password());
        try (HikariDataSource pool = BenchmarkServer.filledPool(task.clients(), server)) {
            run(task, pool, in, threads);
        } catch (ExecutionException | RuntimeException e) {
            Throwable told = e.getCause() == null ? e : e.getCause();
            System.out.println(FAILED + String.valueOf(told.getMessage()).replaceAll("\\s+", " "));
        }
    }

    private static void run(Task task, DataSource pool, BufferedReader in, ScheduledExecutorService threads)
            throws IOException, InterruptedException, ExecutionException {
        boolean plain = task.wrapper().equals(DropInPool.PLAIN);
        DataSource connections = plain ? pool : DropInPool.of(pool, task.wrapper(), 1);
        Locking locking =
                new Locking(task.strategy(), task.admission(), connections, Accounts.TABLE, List.of(Accounts.ID));
        if (task.clients() > 1 && (task.strategy().isRowlock() || !plain)) {
            locking.locks().verify();
        }
        Exclusion exclusion = Exclusion.among(Path.of(task.inside()), task.rows() + 1);
        clients(threads, task.clients(), number -> {
            int aid = task.ownRow() + number;
            for (int i = 0; i < task.ahead(); i++) {
                locking.transaction(aid, connection -> Accounts.updateThrice(connection, aid));
            }
        });
        System.out.println(READY);
        in.readLine();
        AtomicBoolean stopped = new AtomicBoolean();
        Future<?> unusedEnd = threads.submit(() -> {
            in.readLine();
            stopped.set(true);
            return null;
        });
        Queue<Long> micros = new ConcurrentLinkedQueue<>();
        Future<?> unusedLines =
                threads.scheduleWithFixedDelay(() -> say(micros), LINE_MILLIS, LINE_MILLIS, TimeUnit.MILLISECONDS);
        clients(threads, task.clients(), number -> {
            DiscreteSampler keys = Zipf.zipf(task.rows(), task.zipf());
            try {
                while (!stopped.get()) {
                    int aid = keys.sample();
                    long begun = System.nanoTime();
                    locking.transaction(
                            aid, connection -> exclusion.inside(aid, () -> Accounts.updateThrice(connection, aid)));
                    micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
                }
            } finally {
                // A client that fails stops the others.
                stopped.set(true);
            }
        });
        say(micros);
        exclusion.check();
    }

    /** Runs each client in a separate thread. Returns when all have ended, and throws the first failure. */
    private static void clients(ScheduledExecutorService threads, int count, ClientWork work)
            throws InterruptedException, ExecutionException {
        List<Callable<Void>> all = IntStream.range(0, count)
                .<Callable<Void>>mapToObj(number -> () -> {
                    work.run(number);
                    return null;
                })
                .toList();
        for (Future<Void> each : threads.invokeAll(all)) {
            each.get();
        }
    }

    private static void say(Queue<Long> micros) {
        StringBuilder line = new StringBuilder();
        for (Long each = micros.poll(); each != null; each = micros.poll()) {
            line.append(each).append(' ');
        }
        System.out.println(line);
    }
}
