package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rowlock.jmh.net.Network;

/**
 * The JVMs that JMH starts. JMH does not expose them, so they are found among this JVM's children. The proxy of a
 * standby is no fork: while it lives, the forks and this JVM can commit their clean-up.
 */
final class Forks {
    /**
     * The time for a fork to close connections and drop the schema. A process that takes longer is killed, and its
     * schema is dropped here.
     */
    private static final long GRACE_SECONDS = 15;

    private Forks() {}

    /** Recognizes a JVM by its program. The system may truncate the command line after a long class path. */
    private static boolean isJvm(ProcessHandle child) {
        return child.info()
                .command()
                .map(command -> Path.of(command).getFileName().toString())
                .filter(name -> name.startsWith("java"))
                .isPresent();
    }

    static void end() {
        List<ProcessHandle> forks = ProcessHandle.current()
                .children()
                .filter(child -> isJvm(child) && !Network.isProxy(child.pid()))
                .toList();
        forks.forEach(ProcessHandle::destroy);
        for (ProcessHandle fork : forks) {
            fork.onExit()
                    .completeOnTimeout(fork, GRACE_SECONDS, TimeUnit.SECONDS)
                    .join();
            fork.destroyForcibly();
        }
    }
}
