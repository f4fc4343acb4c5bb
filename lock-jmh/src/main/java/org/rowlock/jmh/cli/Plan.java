package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.jmh.run.Pace;
import org.rowlock.jmh.run.Selection;
import org.rowlock.jmh.server.BenchmarkSchema;
import org.rowlock.jmh.server.ServerFacts;

/**
 * What will be done, for the user to read before it is.
 *
 * @param choices what is run
 * @param server the user's own; null for embedded ones
 * @param facts of that server
 * @param remarks what else the user should know; complete sentences
 * @param report where the report goes
 */
record Plan(
        Choices choices,
        @Nullable ServerAddress server,
        @Nullable ServerFacts facts,
        List<String> remarks,
        Path report) {
    void print(PrintWriter out) {
        List<Selection> selections =
                choices.chosen().stream().map(Choice::selection).toList();
        Duration time = Pace.estimate(selections);
        if (server == null || facts == null) {
            line(out, "Server", "an embedded PostgreSQL for each scenario, of its own and on this machine");
            line(out, "Creates", "a data directory among the temporary files; removed at the end, or at Ctrl-C");
        } else {
            line(out, "Server", server + " as " + facts.user());
            line(out, "", facts.version());
            line(out, "Creates", "the schema " + BenchmarkSchema.NAME + " with tables of its own, some ten MB;");
            line(out, "", "removed at the end, or at Ctrl-C. Nothing else is changed; before it begins it");
            line(out, "", "looks at the server's waits and hot tables, as the doctor does");
            line(
                    out,
                    "Load",
                    "up to " + connections(selections) + " connections, busy with all that the server can do:");
            line(out, "", "whoever else works there will feel it");
        }
        line(out, "Takes", "about " + Durations.text(time) + ", until " + at(time));
        line(out, "Report", report.toString());
        scenarios(out, selections);
        remarks(out);
        out.println();
        out.flush();
    }

    private static int connections(List<Selection> selections) {
        return selections.stream().mapToInt(Selection::connections).max().orElse(0);
    }

    private static String at(Duration time) {
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        LocalDateTime end = now.plus(time);
        boolean isToday = end.toLocalDate().equals(now.toLocalDate());
        return DateTimeFormatter.ofPattern(isToday ? "HH:mm" : "yyyy-MM-dd HH:mm")
                .format(end);
    }

    private static void scenarios(PrintWriter out, List<Selection> selections) {
        int width = selections.stream()
                .mapToInt(selection -> selection.scenario().name().length())
                .max()
                .orElse(1);
        String label = "Scenarios";
        for (Selection selection : selections) {
            line(
                    out,
                    label,
                    String.format("%-" + width + "s  %s", selection.scenario().name(), size(selection)));
            label = "";
        }
    }

    /** Such as {@code 2 points x 9 variants x 3 rounds, 8 min}. */
    static String size(Selection selection) {
        return count(selection.points().size(), "point") + " x "
                + count(selection.variants().size(), "variant") + " x "
                + count(selection.rhythm().rounds(), "round") + ", "
                + Durations.text(Pace.estimate(List.of(selection)));
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private void remarks(PrintWriter out) {
        List<String> all = new ArrayList<>(remarks);
        all.addAll(choices.leftOut());
        choices.chosen().forEach(choice -> all.addAll(choice.remarks()));
        all.forEach(remark -> line(out, "Note", remark));
    }

    private static void line(PrintWriter out, String label, String text) {
        out.printf("%-10s %s%n", label, text);
    }
}
