package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.ConnectionRoom;

/**
 * Makes scenarios fit the connections that a server has left. What the user asked for is refused if it does not fit. Of
 * a scenario's own points those that do not fit get fewer clients or are left out, and a remark says so. Points that
 * would fill the lock table, and so fail everybody who works there, are left out, whoever asked for them.
 */
final class Room {
    private final ServerAddress server;
    private final ConnectionRoom room;
    private final long locks;

    /** @param locks how many the server has room for */
    Room(ServerAddress server, ConnectionRoom room, long locks) {
        this.server = server;
        this.room = room;
        this.locks = locks;
    }

    /**
     * What fits.
     *
     * @param areClientsGiven whether the user said how many
     * @param areNamed whether the user named the scenarios, and wants each of them
     * @throws UserError if something that was asked for does not fit, or nothing does
     */
    Choices fit(Choices choices, boolean areClientsGiven, boolean areNamed) {
        List<Choice> fitting = new ArrayList<>();
        List<String> leftOut = new ArrayList<>(choices.leftOut());
        for (Choice asked : choices.chosen()) {
            Optional<Choice> sparing = sparing(asked);
            if (sparing.isEmpty()) {
                if (areNamed) {
                    throw new UserError("The scenario " + asked.name() + " " + lockTable(asked) + ".");
                }
                leftOut.add("Without " + asked.name() + ": it " + lockTable(asked) + ".");
                continue;
            }
            Choice choice = sparing.get();
            Selection selection = choice.selection();
            boolean isGiven = areClientsGiven && selection.scenario().threadsAreClients();
            Optional<Choice> fits = selection.connections() <= room.free()
                    ? Optional.of(choice)
                    : Optional.of(choice).filter(own -> !isGiven).flatMap(this::shrunk);
            if (fits.isPresent()) {
                fitting.add(fits.get());
            } else if (isGiven || areNamed) {
                throw refusal(selection);
            } else {
                leftOut.add("Without " + choice.name() + ", which needs " + selection.connections()
                        + " connections at a time: the server has " + left() + ".");
            }
        }
        if (fitting.isEmpty()) {
            throw refusal(choices.chosen().get(0).selection());
        }
        return new Choices(fitting, leftOut);
    }

    /** Without the points that the lock table has no room for. */
    private Optional<Choice> sparing(Choice choice) {
        Selection selection = choice.selection();
        List<Point> points = selection.points().stream()
                .filter(point -> point.locks() <= locks)
                .toList();
        if (points.size() == selection.points().size()) {
            return Optional.of(choice);
        }
        return points.isEmpty()
                ? Optional.empty()
                : Optional.of(choice.with(
                        at(selection, points),
                        choice.name() + " ran at "
                                + String.join(
                                        ", ", points.stream().map(Point::label).toList())
                                + " " + selection.scenario().axis() + " only: the rest "
                                + lockTable(choice) + "."));
    }

    private String lockTable(Choice choice) {
        long needed = choice.selection().locks();
        return String.format(
                Locale.ROOT,
                "takes %,d places in the lock table, and the server has room for %,d (max_locks_per_transaction x"
                        + " max_connections; full, it fails everybody there). Set max_locks_per_transaction to %,d times"
                        + " what it is",
                needed,
                locks,
                (needed + locks - 1) / locks);
    }

    private Optional<Choice> shrunk(Choice choice) {
        Selection selection = choice.selection();
        List<Point> points = selection.points().stream()
                .flatMap(point -> shrunk(selection, point).stream())
                .toList();
        if (points.isEmpty()) {
            return Optional.empty();
        }
        String remark = points.size() < selection.points().size()
                ? "only with up to " + threads(points) + " clients, not " + threads(selection.points())
                : "with " + threads(points) + " clients instead of " + threads(selection.points());
        return Optional.of(choice.with(
                at(selection, points), "The server had " + left() + ", so " + choice.name() + " ran " + remark + "."));
    }

    private Optional<Point> shrunk(Selection selection, Point point) {
        int tooMany = at(selection, List.of(point)).connections() - room.free();
        if (tooMany <= 0) {
            return Optional.of(point);
        }
        Scenario scenario = selection.scenario();
        boolean mayShrink = !scenario.threadsAreClients()
                && point.groups().isEmpty()
                && point.connections() == point.threads()
                && point.threads() > tooMany;
        return mayShrink
                ? Optional.of(new Point(point.label(), point.threads() - tooMany, point.groups(), point.params())
                        .locking(point.locksPerThread()))
                : Optional.empty();
    }

    private static Selection at(Selection selection, List<Point> points) {
        return new Selection(selection.scenario(), points, selection.variants(), selection.rhythm());
    }

    private static int threads(List<Point> points) {
        return points.stream().mapToInt(Point::threads).max().orElse(0);
    }

    private UserError refusal(Selection selection) {
        int clients = threads(selection.points());
        int needed = selection.connections();
        int few = room.free() - (needed - clients);
        return new UserError("The scenario " + selection.scenario().name() + " with " + clients + " clients needs "
                + needed + " connections at a time, and the server at " + server + " has " + left() + ". "
                + room.cureFor(needed)
                + (selection.scenario().threadsAreClients() && few > 0
                        ? ", or give " + few + " clients at most with --clients."
                        : ", or choose other scenarios with --scenario."));
    }

    private String left() {
        return "about " + Math.max(0, room.free()) + " left of " + room.limit() + " = " + room.allowed();
    }
}
