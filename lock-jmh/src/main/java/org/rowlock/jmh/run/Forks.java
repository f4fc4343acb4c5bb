package org.rowlock.jmh.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The JVMs that JMH starts. It keeps them to itself, so they are found among this JVM's children: no other is a JVM.
 */
final class Forks {
    /** Time to close connections and drop the schema. A process that hangs longer is killed, and we drop its schema. */
    private static final long GRACE_SECONDS = 15;

    private Forks() {}

    /** By the program, and not the whole command line, which the system may cut behind a long class path. */
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
