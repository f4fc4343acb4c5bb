package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The JVMs that JMH starts, called forks. JMH does not expose forks, so this class finds them among the JVM's children.
 */
final class Forks {
    /**
     * The time limit for a fork to close its connections and drop the schema. After the limit the fork is killed, and
     * this JVM drops the schema.
     */
    private static final long GRACE_SECONDS = 15;

    private Forks() {}

    /** Recognizes a JVM by the name of its program, because the system may truncate a long command line. */
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
