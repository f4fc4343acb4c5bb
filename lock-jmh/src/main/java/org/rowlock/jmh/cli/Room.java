package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.ServerFacts.ConnectionRoom;

/**
 * Makes scenarios fit what a server has left. What the user asked for is refused if it does not fit. Of a scenario's own
 * points those that do not fit get fewer clients or are left out, and a remark says so.
 *
 * @param locks how many the server's lock table has room for: full, it fails everybody who works there
 */
record Room(ServerAddress server, ConnectionRoom connections, long locks) {
    /** For profiler, network and clean-up. */
    private static final int OURS = 12;

    /**
     * @param areGiven whether the user said how many clients
     * @param areNamed whether the user named the scenarios, and wants each of them
     * @throws UserError if something that was asked for does not fit, or nothing does
     */
    List<Scenario> fit(List<Scenario> scenarios, boolean areGiven, boolean areNamed, List<String> remarks) {
        List<Scenario> fitting = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            List<Point> points = new ArrayList<>();
            for (Point point : scenario.points()) {
                boolean isGiven = areGiven && scenario.isOverClients();
                String refusal = point.locks() > locks ? lockTable(point) : tooMany(point);
                Optional<Point> fits = refusal.isEmpty()
                        ? Optional.of(point)
                        : point.locks() > locks || isGiven ? Optional.empty() : shrunk(point);
                if (fits.isPresent()) {
                    points.add(fits.get());
                } else if (isGiven || (areNamed && scenario.points().size() == 1)) {
                    throw new UserError("The scenario " + scenario.name() + " " + refusal);
                }
                if (!refusal.isEmpty()) {
                    remarks.add(scenario.name() + ", " + point.label() + ", "
                            + fits.map(small -> "ran with " + small.clients() + " clients: it ")
                                    .orElse("is left out: it ")
                            + refusal);
                }
            }
            if (!points.isEmpty()) {
                fitting.add(scenario.with(points, scenario.variants()));
            }
        }
        if (fitting.isEmpty()) {
            throw new UserError("No scenario fits the server at " + server + ": " + String.join(" ", remarks));
        }
        return fitting;
    }

    private String lockTable(Point point) {
        return String.format(
                Locale.ROOT,
                "takes %,d places in the lock table, and the server has room for %,d (max_locks_per_transaction x"
                        + " max_connections; full, it fails everybody there). Set max_locks_per_transaction to %,d times what"
                        + " it is.",
                point.locks(),
                locks,
                (point.locks() + locks - 1) / Math.max(1, locks));
    }

    private String tooMany(Point point) {
        int needed = point.connections() + OURS;
        return needed <= connections.free()
                ? ""
                : "needs " + needed + " connections at a time, and the server at " + server + " has about "
                        + Math.max(0, connections.free()) + " left of " + connections.limit() + " = "
                        + connections.allowed() + ". " + connections.cureFor(needed) + ".";
    }

    /** Where each client has a connection. */
    private Optional<Point> shrunk(Point point) {
        int fewer = connections.free() - OURS;
        return point.connections() == point.clients() && fewer > 0
                ? Optional.of(new Point(
                        point.label(),
                        point.with(Point.CLIENTS, Integer.toString(fewer)).params(),
                        fewer,
                        point.locks()))
                : Optional.empty();
    }
}
