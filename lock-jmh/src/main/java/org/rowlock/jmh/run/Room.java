package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.ServerFacts.ConnectionRoom;

/**
 * Leaves out what does not fit what a server has left, with a remark, and refuses it where the user asked for it.
 *
 * @param locks how many the server's lock table has room for: full, it fails every session there
 */
public record Room(ServerAddress server, ConnectionRoom connections, long locks) {
    /** For profiler, network and clean-up. */
    private static final int OURS = 12;

    /**
     * Those that fit.
     *
     * @param areGiven whether the user said how many clients
     * @param areNamed whether the user named the scenarios, and wants each of them
     * @throws UserError if something that was asked for does not fit, or nothing does
     */
    public List<Scenario> fit(List<Scenario> scenarios, boolean areGiven, boolean areNamed, List<String> remarks) {
        List<Scenario> fitting = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            List<Point> points = new ArrayList<>();
            for (Point point : scenario.points()) {
                String refusal = refusal(point);
                if (refusal.isEmpty()) {
                    points.add(point);
                } else if ((areGiven && scenario.isOverClients())
                        || (areNamed && scenario.points().size() == 1)) {
                    throw new UserError("The scenario " + scenario.name() + " " + refusal);
                } else {
                    remarks.add("Without " + scenario.name() + ", " + point.label() + ": it " + refusal);
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

    private String refusal(Point point) {
        int needed = point.connections() + OURS;
        if (point.locks() > locks) {
            return String.format(
                    Locale.ROOT,
                    "takes %,d places in the lock table, and the server has room for %,d (full, it fails everybody"
                            + " there). Set max_locks_per_transaction to %,d times what it is.",
                    point.locks(),
                    locks,
                    (point.locks() + locks - 1) / Math.max(1, locks));
        }
        return needed <= connections.free()
                ? ""
                : "needs " + needed + " connections at a time, and the server at " + server + " has about "
                        + Math.max(0, connections.free()) + " left of " + connections.limit() + " = "
                        + connections.allowed() + ". " + connections.cureFor(needed) + ".";
    }
}
