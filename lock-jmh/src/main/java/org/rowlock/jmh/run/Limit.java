package org.rowlock.jmh.run;

import java.util.Locale;
import java.util.Map;

/** Finds the resource that limited a measurement, so that a result is not attributed to another resource. */
final class Limit {
    private static final double FULL = 0.9;
    private static final double MOST = 0.5;

    private Limit() {}

    /** Returns the first of processors, locks, WAL and network that was at its limit. */
    static String of(Map<String, Double> figures, Map<String, Double> waits) {
        double cores = figures.getOrDefault("cpu.cores", 0.0);
        double client = figures.getOrDefault("cpu.client", 0.0);
        double machine = figures.getOrDefault("cpu.machine", client);
        double server = figures.getOrDefault("cpu.server", 0.0);
        double sessions =
                waits.values().stream().mapToDouble(Double::doubleValue).sum();
        double locks = sum(waits, "Lock:");
        double wal = sum(waits, "IO:Wal") + sum(waits, "IO:WAL") + sum(waits, "LWLock:WAL") + sum(waits, "IPC:SyncRep");
        if (machine >= FULL * cores && cores > 0) {
            return figures.getOrDefault("cpu.others", 0.0) > Math.max(client, server)
                    ? "CPU, by other programs"
                    : client > server ? "CPU, by the clients" : "CPU, by the server";
        }
        if (sessions > 0 && locks >= MOST * sessions) {
            return String.format(Locale.ROOT, "locks: %.0f of %.0f sessions wait", locks, sessions);
        }
        if (sessions > 0 && wal >= MOST * (sessions - locks)) {
            return String.format(Locale.ROOT, "WAL: %.1f of %.1f sessions wait", wal, sessions);
        }
        if (waits.isEmpty()) {
            return "not known";
        }
        double network = waits.getOrDefault("Client:ClientRead", 0.0);
        return network >= MOST * sessions && sessions > 0 ? "round trips" : "nothing";
    }

    /** See {@link org.rowlock.jmh.profile.Processors.Taken#othersShare}. */
    static double othersShare(Map<String, Double> figures) {
        return figures.getOrDefault("cpu.others", 0.0) / figures.getOrDefault("cpu.cores", 1.0);
    }

    private static double sum(Map<String, Double> waits, String prefix) {
        return waits.entrySet().stream()
                .filter(wait -> wait.getKey().startsWith(prefix))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
