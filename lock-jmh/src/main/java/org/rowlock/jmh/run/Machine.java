package org.rowlock.jmh.run;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.tool.UserError;

public final class Machine {
    private static final long SECONDS_BEFORE = 3;

    private Machine() {}

    /** Rejects a run while JMH is running elsewhere. JMH itself would reject the run only after the server start. */
    public static void refuseBesideJmh() {
        refuseBesideJmh(Path.of(System.getProperty("java.io.tmpdir"), "jmh.lock"));
    }

    static void refuseBesideJmh(Path file) {
        if (Boolean.getBoolean("jmh.ignoreLock")) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock != null) {
                return;
            }
        } catch (IOException e) {
            // If JMH's lock file cannot be used, JMH reports the problem itself.
            return;
        } catch (OverlappingFileLockException e) {
            // This JVM itself holds the lock.
        }
        throw new UserError("Another JMH runs on this machine (it has locked " + file + "), and two would disturb each"
                + " other. Run it again when the other has ended.");
    }

    /** Returns a sentence about the load of other programs before a run; none if their load is small. */
    public static List<String> remarks() {
        Processors processors = Processors.ofThisMachine();
        Processors.Taken before = processors.taken();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_BEFORE);
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        double share = processors.taken().since(before).othersShare();
        return share <= Answer.MOST_OF_OTHERS
                ? List.of()
                : List.of(String.format(
                        Locale.ROOT,
                        "Other programs took %.0f %% of this machine in the %d seconds before the start."
                                + " Comparisons get no verdict above a tenth. End these programs, and start again.",
                        100 * share,
                        SECONDS_BEFORE));
    }

    public static Map<String, String> describe() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        machine.put("memory", Math.round(system.getTotalMemorySize() / Math.pow(2, 30)) + " GiB");
        machine.put(
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                        + System.getProperty("os.arch"));
        machine.put("JDK", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        return machine;
    }
}
