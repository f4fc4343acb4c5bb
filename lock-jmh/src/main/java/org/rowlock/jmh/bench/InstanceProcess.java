package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockRelease;

/**
 * Some of the clients of {@link Instances}, in a process of their own. It says what its transactions took, in
 * microseconds, a line every now and then, and works until its input ends, and so no longer than its parent.
 */
final class InstanceProcess implements AutoCloseable {
    private static final long LINE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String FAILED = "failed ";
    private static final String VIOLATED = "Invariant violated: ";
    private static final String READY = "ready";

    private final Process process;
    private final BufferedReader said;

    private InstanceProcess(Process process) {
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    /**
     * Starts one.
     *
     * @param library a class path in front of ours; may be empty
     * @param more what {@link #main} takes behind URL and user
     */
    static InstanceProcess start(PGSimpleDataSource target, String library, String... more) throws IOException {
        String classPath = System.getProperty("java.class.path");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                // The second compiler would be at work for minutes, on the processors that are shared by all.
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                library.isEmpty() ? classPath : library + File.pathSeparator + classPath,
                InstanceProcess.class.getName(),
                target.getURL(),
                String.valueOf(target.getUser()));
        builder.command().addAll(List.of(more));
        // Not an argument, which every user of the machine can see.
        builder.environment().put("PGPASSWORD", target.getPassword() == null ? "" : target.getPassword());
        return new InstanceProcess(
                builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Waits until it has its connections. */
    void awaitReady() {
        String line = line();
        if (!READY.equals(line)) {
            throw new IllegalStateException("A process of clients did not start; it said " + line);
        }
    }

    /** Lets it begin. */
    void begin() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Waits for the next line, and gives how many transactions it has. */
    int next(Latency transaction) {
        String line = line();
        if (line == null) {
            throw new IllegalStateException("A process of clients has ended");
        }
        int count = 0;
        for (String micros : line.split(" ", -1)) {
            if (!micros.isEmpty()) {
                transaction.record(TimeUnit.MICROSECONDS.toNanos(Long.parseLong(micros)));
                count++;
            }
        }
        return count;
    }

    private String line() {
        try {
            String line = said.readLine();
            if (line != null && line.startsWith(FAILED)) {
                throw new IllegalStateException("A process of clients has failed: " + line.substring(FAILED.length()));
            }
            if (line != null && line.startsWith(VIOLATED)) {
                throw new InvariantViolation(line.substring(VIOLATED.length()));
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets it end what it has begun. */
    void stop() {
        try {
            process.getOutputStream().close();
            while (line() != null) {
                // What was still to be said.
            }
            process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the clients were ending", e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /**
     * The process.
     *
     * @param args URL, user, wrapper, strategy, whether with admission, clients, rows, exponent, file of the exclusion,
     *     how many transactions each client runs ahead, and the first of the clients' own rows for these
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(System.getenv("PGPASSWORD"));
        config.setAutoCommit(false);
        int clients = Integer.parseInt(args[5]);
        config.setMaximumPoolSize(clients);
        config.setMinimumIdle(clients);
        AtomicBoolean stopped = new AtomicBoolean();
        Queue<Long> micros = new ConcurrentLinkedQueue<>();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = new HikariDataSource(config)) {
            DataSource dataSource =
                    args[2].equals(DropInPool.PLAIN) ? pool : DropInPool.of(pool, args[2], LockRelease.PLAIN, 1);
            Locking locking = new Locking(
                    Strategy.valueOf(args[3]),
                    Boolean.parseBoolean(args[4]),
                    dataSource,
                    Accounts.TABLE,
                    List.of(Accounts.ID));
            Exclusion exclusion = Exclusion.among(Path.of(args[8]), Integer.parseInt(args[6]) + 1);
            while (pool.getHikariPoolMXBean().getTotalConnections() < clients) {
                LockSupport.parkNanos(LINE_NANOS);
            }
            int ahead = Integer.parseInt(args[9]);
            int ownRow = Integer.parseInt(args[10]);
            InstanceClients working = new InstanceClients(clients, failures);
            working.start(number -> {
                int aid = ownRow + number;
                for (int i = 0; i < ahead; i++) {
                    locking.transaction(aid, connection -> Accounts.updateThrice(connection, aid));
                }
            });
            working.join();
            System.out.println(READY);
            System.in.read();
            int rows = Integer.parseInt(args[6]);
            double zipf = Double.parseDouble(args[7]);
            working.start(number -> {
                DiscreteSampler keys = Zipf.zipf(rows, zipf);
                while (!stopped.get()) {
                    int aid = keys.sample();
                    long begun = System.nanoTime();
                    locking.transaction(
                            aid, connection -> exclusion.inside(aid, () -> Accounts.updateThrice(connection, aid)));
                    micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
                }
            });
            Thread input = new Thread(() -> awaitEnd(stopped), "input");
            input.setDaemon(true);
            input.start();
            while (!stopped.get() && failures.isEmpty()) {
                LockSupport.parkNanos(LINE_NANOS);
                say(micros);
            }
            stopped.set(true);
            working.join();
            say(micros);
            try {
                exclusion.check();
            } catch (InvariantViolation e) {
                System.out.println(e.getMessage());
            }
            failures.stream().limit(1).forEach(failure -> System.out.println(FAILED + failure));
        }
    }

    /** The threads of the clients. Each ends with its work, and what it throws is among the failures. */
    private static final class InstanceClients {
        private final List<Thread> threads = new ArrayList<>();
        private final int count;
        private final Queue<String> failures;

        InstanceClients(int count, Queue<String> failures) {
            this.count = count;
            this.failures = failures;
        }

        void start(Workload.RowWork work) {
            for (int i = 0; i < count; i++) {
                int number = i;
                Thread thread = new Thread(() -> work(work, number), "client-" + i);
                threads.add(thread);
                thread.start();
            }
        }

        private void work(Workload.RowWork work, int number) {
            try {
                work.run(number);
            } catch (SQLException | RuntimeException e) {
                failures.add(String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
            }
        }

        void join() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join();
            }
            threads.clear();
        }
    }

    private static void awaitEnd(AtomicBoolean stopped) {
        try {
            System.in.read();
        } catch (IOException e) {
            // It has ended too.
        }
        stopped.set(true);
    }

    private static void say(Queue<Long> micros) {
        StringBuilder line = new StringBuilder();
        for (Long each = micros.poll(); each != null; each = micros.poll()) {
            line.append(each).append(' ');
        }
        System.out.println(line);
    }
}
