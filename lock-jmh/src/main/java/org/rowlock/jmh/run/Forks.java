package org.rowlock.jmh.run;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The JVMs that JMH starts. It keeps them to itself, so they are found among this JVM's children. */
final class Forks {
    /** Time to close connections and drop the schema; whoever hangs longer is killed, and its schema dropped by us. */
    private static final Duration GRACE = Duration.ofSeconds(15);

    private Forks() {}

    static void end() {
        List<ProcessHandle> forks = ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains("org.openjdk.jmh.runner.ForkedMain"))
                .toList();
        forks.forEach(ProcessHandle::destroy);
        long deadline = System.nanoTime() + GRACE.toNanos();
        for (ProcessHandle fork : forks) {
            try {
                fork.onExit().get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException | ExecutionException e) {
                fork.destroyForcibly();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                fork.destroyForcibly();
            }
        }
    }
}
