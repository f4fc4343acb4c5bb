package org.rowlock.jmh.run;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** The machine this JVM runs on. */
public final class Machine {
    private Machine() {}

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
