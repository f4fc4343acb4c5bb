package org.rowlock.doctor;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.doctor.Seen.Server;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * A part of the server that the doctor could not read. The report names the part, so that the reader does not mistake a
 * missing figure for a healthy figure.
 *
 * @param remedy how to make the part visible; empty if that is impossible
 */
record Unseen(String what, String why, String remedy) {
    static Unseen of(String what, SQLException refusal) {
        String said = Figures.sentence(refusal.getMessage());
        String remedy = "refused." + refusal.getSQLState();
        return new Unseen(what, said.substring(0, said.length() - 1), Figures.words(remedy));
    }

    /** Lists the parts that this server does not show to the doctor's role, or to any role. */
    static List<Unseen> of(Server server, Row facts, List<Row> statements) {
        boolean isHidden =
                statements.stream().anyMatch(row -> row.string("query").startsWith("<insufficient"));
        boolean isPreloaded = facts.string("preloaded").contains("pg_stat_statements");
        boolean lacksStatements = !facts.has("statements_schema") && !server.standby();
        Map<String, Boolean> possible = new LinkedHashMap<>();
        possible.put("extension", lacksStatements && isPreloaded);
        possible.put("library", lacksStatements && !isPreloaded);
        possible.put("sessions-of-others", !facts.is("reads_all_stats"));
        possible.put("statements-of-others", isHidden);
        possible.put("activities", !facts.is("track_activities"));
        possible.put("counts", !facts.is("track_counts"));
        possible.put("log", !facts.is("log_lock_waits"));
        possible.put("pool", true);
        return possible.keySet().stream()
                .filter(possible::get)
                .map(each -> "unseen." + each)
                .map(each -> new Unseen(
                        Figures.words(each + ".what"),
                        Figures.words(each + ".why", server),
                        Figures.words(each + ".do", server)))
                .toList();
    }
}
