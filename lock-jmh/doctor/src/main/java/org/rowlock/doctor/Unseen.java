package org.rowlock.doctor;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.doctor.Seen.Server;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * Something that could not be looked at, so that nobody takes silence for health.
 *
 * @param what it is
 * @param why it could not be seen
 * @param remedy what makes it visible; empty where nothing does
 */
record Unseen(String what, String why, String remedy) {
    private static final String STATEMENTS = "pg_stat_statements";

    /** What the server has refused. */
    static Unseen of(String what, SQLException refusal) {
        String said = Figures.sentence(refusal.getMessage());
        String why = said.substring(0, said.length() - 1);
        return switch (String.valueOf(refusal.getSQLState())) {
            case "42501" -> new Unseen(what, why, "A superuser may grant pg_monitor.");
            case "57014" ->
                new Unseen(
                        what,
                        "the server took longer than " + ReadOnlySession.STATEMENT_TIMEOUT.toSeconds() + " s to tell",
                        "Try again when it is less busy.");
            case "55000" -> new Unseen(what, why, "Add it to shared_preload_libraries and restart.");
            case "42703" -> new Unseen(what, why, "Run: alter extension " + STATEMENTS + " update.");
            default -> new Unseen(what, why, "");
        };
    }

    /** What such a server does not show to us, or to anybody. */
    static List<Unseen> of(Server server, Row facts) {
        List<Unseen> unseen = new ArrayList<>();
        if (server.statementsSchema() == null && !server.standby()) {
            boolean isPreloaded = String.valueOf(server.preloaded()).contains(STATEMENTS);
            unseen.add(new Unseen(
                    "statements",
                    STATEMENTS + " is not installed in database " + server.database(),
                    (isPreloaded ? "Run" : "Add it to shared_preload_libraries, restart, and run")
                            + " there: create extension " + STATEMENTS + "."));
        }
        if (!server.readsAllStats()) {
            unseen.add(new Unseen(
                    "sessions of other roles",
                    "the role " + server.role()
                            + " may not read what they do; row lock waits are seen without, in pg_locks",
                    grant(server, " (or pg_monitor).")));
        }
        if (!facts.is("track_activities")) {
            unseen.add(new Unseen("sessions", "track_activities is off", "Set it on."));
        }
        if (!facts.is("track_counts")) {
            unseen.add(new Unseen("updates of tables", "track_counts is off, and autovacuum with it", "Set it on."));
        }
        if (!facts.is("log_lock_waits")) {
            unseen.add(new Unseen(
                    "waits before and after",
                    "log_lock_waits is off"
                            + (facts.is("has_stat_lock") ? "; pg_stat_lock counts the long ones by their type" : ""),
                    "Set it on: the server's log then has each wait that is longer than deadlock_timeout."));
        }
        unseen.add(new Unseen(
                "threads that wait for a connection",
                "the server does not know of them",
                "Look at the pool's metrics (HikariCP: hikaricp.connections.pending; PgBouncer: show pools,"
                        + " cl_waiting)."));
        return unseen;
    }

    /** Those of others in pg_stat_statements. */
    static List<Unseen> statements(Server server, List<Row> statements) {
        long hidden = statements.stream()
                .filter(row -> row.string("query").equals("<insufficient privilege>"))
                .count();
        String why = Figures.count(hidden) + " in " + STATEMENTS + " are hidden from the role " + server.role();
        return hidden == 0 ? List.of() : List.of(new Unseen("statements of other roles", why, grant(server, ".")));
    }

    private static String grant(Server server, String or) {
        return "Run as a superuser: grant pg_read_all_stats to " + server.role() + or;
    }
}
