package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The JVMs that JMH starts. JMH does not expose them, so they are found among this JVM's children. The proxy of a
 * standby is one of those too.
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
        List<ProcessHandle> forks =
                ProcessHandle.current().children().filter(Forks::isJvm).toList();
        forks.forEach(ProcessHandle::destroy);
        for (ProcessHandle fork : forks) {
            fork.onExit()
                    .completeOnTimeout(fork, GRACE_SECONDS, TimeUnit.SECONDS)
                    .join();
            fork.destroyForcibly();
        }
    }
}
