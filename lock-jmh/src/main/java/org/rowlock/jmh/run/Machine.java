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
import java.util.Map;
import org.rowlock.tool.UserError;

public final class Machine {
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
