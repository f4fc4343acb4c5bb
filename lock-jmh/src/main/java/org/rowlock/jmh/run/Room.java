package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.ServerFacts.ConnectionRoom;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/**
 * Leaves out scenarios and points that exceed the free capacity of a server, and adds a remark. A point that does not
 * fit is an error if the user chose the number of clients, or named a scenario of one point.
 *
 * @param locks the capacity of the server's lock table
 */
public record Room(ServerAddress server, ConnectionRoom connections, long locks) {
    private static final int OURS = 12;

    /**
     * Returns the scenarios that fit.
     *
     * @param areGiven whether the user chose the number of clients
     * @param areNamed whether the user chose the scenarios
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
                    "takes %,d entries of the lock table, and there is room for %,d (a full table fails every session"
                            + " there). Multiply max_locks_per_transaction by %,d.",
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
