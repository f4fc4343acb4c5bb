package org.rowlock.doctor;

import com.google.gson.Gson;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;

/**
 * The tree of waits for locks at one moment.
 *
 * @param sessions the sessions in tree order: each session is followed by the sessions that wait for it
 */
record Watch(String at, List<Node> sessions) {
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    /** The pid of every prepared transaction in the result of pg_blocking_pids(). */
    private static final String PREPARED = "0";

    /**
     * A session, or a prepared transaction.
     *
     * @param name the pid, or the gid of a prepared transaction
     * @param seconds how long the session has waited; if the session does not wait, how long it has been in its state
     * @param query the statement, normalized; null if there is none or the role cannot see the statement
     * @param blockers the pids that the session waits for; null if the session does not wait
     * @param depth the number of sessions above this one in the tree
     */
    record Node(
            String name,
            boolean isPrepared,
            String application,
            String state,
            double seconds,
            @Nullable String wants,
            @Nullable String query,
            @Nullable String blockers,
            int depth) {
        private Node at(int place) {
            return new Node(name, isPrepared, application, state, seconds, wants, query, blockers, place);
        }

        private boolean isBehind(Node other) {
            return blockers != null
                    && List.of(blockers.split(" ", -1)).contains(other.isPrepared ? PREPARED : other.name);
        }

        private String text(int width) {
            String what = wants == null ? state + " for {seconds}" : "waits {seconds} for " + wants;
            String line = "  ".repeat(depth)
                    + (isPrepared ? "prepared transaction '" + name + "'" : name)
                    + (application.isEmpty() ? "" : " (" + application + ")") + ": "
                    + Figures.fill(what, Map.of("seconds", seconds))
                    + (query == null ? "" : ": ");
            return line + (query == null ? "" : Figures.statement(query, Math.max(20, width - line.length())));
        }
    }

    /** Shows the tree every two seconds, as text or as one JSON object per line. */
    static void run(ServerAddress address, PrintWriter out, int width, boolean json, BooleanSupplier goesOn) {
        try (ReadOnlySession session = ReadOnlySession.open(address)) {
            do {
                Watch now = look(session);
                out.println(json ? new Gson().toJson(now) : now.text(width));
                out.flush();
                Thread.sleep(INTERVAL.toMillis());
            } while (goesOn.getAsBoolean());
        } catch (SQLException e) {
            throw ServerFailures.at(address, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Watch look(ServerAddress address) throws SQLException {
        try (ReadOnlySession session = ReadOnlySession.open(address)) {
            return look(session);
        }
    }

    private static Watch look(ReadOnlySession session) throws SQLException {
        List<Node> left = new ArrayList<>(session.read(ServerQuery.TREE::read).stream()
                .map(row -> row.as(Node.class))
                .toList());
        List<Node> tree = new ArrayList<>();
        while (!left.isEmpty()) {
            // In a deadlock every session waits for another, so any session can be the root.
            Node root = left.stream()
                    .filter(node -> node.blockers() == null)
                    .findFirst()
                    .orElse(left.get(0));
            left.remove(root);
            add(root, 0, left, tree);
        }
        return new Watch(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), tree);
    }

    /** Adds the session to the tree and, below it, the sessions in {@code left} that wait for it. */
    private static void add(Node node, int depth, List<Node> left, List<Node> tree) {
        tree.add(node.at(depth));
        List<Node> behind = left.stream().filter(each -> each.isBehind(node)).toList();
        left.removeAll(behind);
        behind.forEach(each -> add(each, depth + 1, left, tree));
    }

    String text(int width) {
        long waiting = sessions.stream().filter(each -> each.wants() != null).count();
        return at.substring(11, 19) + "  "
                + (waiting == 0
                        ? "No session waits"
                        : Figures.fill("{waiting} sessions wait", Map.of("waiting", waiting)))
                + " for a lock." + System.lineSeparator()
                + sessions.stream()
                        .map(each -> each.text(width) + System.lineSeparator())
                        .collect(Collectors.joining());
    }
}
