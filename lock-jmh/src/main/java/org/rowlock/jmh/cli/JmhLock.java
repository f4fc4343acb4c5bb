package org.rowlock.jmh.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.UserError;

/** JMH lets one of its runs at a time onto a machine. Told once and beforehand, not by every measurement. */
final class JmhLock {
    private JmhLock() {}

    /**
     * Makes sure that no other run is under way.
     *
     * @throws UserError if one is
     */
    static void refuseWhileAnotherRuns() {
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "jmh.lock");
        if (Boolean.getBoolean("jmh.ignoreLock") || !Files.isWritable(file)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = tryLock(channel)) {
            if (lock == null) {
                throw new UserError("Another JMH benchmark is running on this machine, and the two would disturb each"
                        + " other's figures. Wait for its end; if none runs, delete " + file
                        + ", or start with java -Djmh.ignoreLock=true.");
            }
        } catch (IOException e) {
            // JMH itself says what is wrong with the file.
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }
}
