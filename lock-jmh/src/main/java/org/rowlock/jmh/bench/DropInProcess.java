package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
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
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockRelease;

/**
 * Some of the clients of {@link DropInJvms}, in a process of their own. It says what its transactions took, in
 * microseconds, a line every now and then, and works until its input ends, and so no longer than the process that
 * started it.
 */
final class DropInProcess implements AutoCloseable {
    private static final long LINE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String FAILED = "failed ";
    private static final String READY = "ready";

    private final Process process;
    private final BufferedReader said;

    private DropInProcess(Process process) {
        this.process = process;
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    static DropInProcess start(PGSimpleDataSource target, String wrapper, int clients, int rows, double zipf)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                DropInProcess.class.getName(),
                target.getURL(),
                String.valueOf(target.getUser()),
                wrapper,
                Integer.toString(clients),
                Integer.toString(rows),
                Double.toString(zipf));
        // Not an argument, which every user of the machine can see.
        builder.environment().put("PGPASSWORD", target.getPassword() == null ? "" : target.getPassword());
        return new DropInProcess(
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
                throw new InvariantViolation("A process of clients has failed: " + line.substring(FAILED.length()));
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
     * @param args URL, user, wrapper, clients, rows, exponent
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(System.getenv("PGPASSWORD"));
        config.setAutoCommit(false);
        int clients = Integer.parseInt(args[3]);
        config.setMaximumPoolSize(clients);
        config.setMinimumIdle(clients);
        AtomicBoolean stopped = new AtomicBoolean();
        Queue<Long> micros = new ConcurrentLinkedQueue<>();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = new HikariDataSource(config)) {
            DataSource dataSource = args[2].equals(DropIn.PLAIN) ? pool : DropIn.wrap(pool, args[2], LockRelease.PLAIN);
            while (pool.getHikariPoolMXBean().getTotalConnections() < clients) {
                LockSupport.parkNanos(LINE_NANOS);
            }
            System.out.println(READY);
            System.in.read();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                LockedUpdate update =
                        new LockedUpdate(dataSource, Integer.parseInt(args[4]), Double.parseDouble(args[5]));
                Thread thread = new Thread(() -> work(update, stopped, micros, failures), "client-" + i);
                threads.add(thread);
                thread.start();
            }
            Thread input = new Thread(() -> awaitEnd(stopped), "input");
            input.setDaemon(true);
            input.start();
            while (!stopped.get() && failures.isEmpty()) {
                LockSupport.parkNanos(LINE_NANOS);
                say(micros);
            }
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            say(micros);
            failures.stream().limit(1).forEach(failure -> System.out.println(FAILED + failure));
        }
    }

    private static void work(LockedUpdate update, AtomicBoolean stopped, Queue<Long> micros, Queue<String> failures) {
        try {
            while (!stopped.get()) {
                long begun = System.nanoTime();
                update.run();
                micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
            }
        } catch (SQLException | RuntimeException e) {
            failures.add(String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
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
