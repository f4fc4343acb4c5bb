package org.rowlock.jmh.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.ServerAddress;
import org.rowlock.jmh.run.Pace;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.server.BenchmarkSchema;
import org.rowlock.jmh.server.ServerFacts;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;

/**
 * What will be done, for the user to read before it is.
 *
 * @param server the user's own; null for embedded ones
 * @param facts of that server
 * @param remarks what else the user should know; complete sentences
 * @param report where the report goes
 * @param standbyMillis the round trip to a synchronous standby of the embedded servers; null for no standby
 */
record Plan(
        List<Scenario> scenarios,
        @Nullable ServerAddress server,
        @Nullable ServerFacts facts,
        List<String> remarks,
        Path report,
        @Nullable Double standbyMillis) {
    private static final int LABEL = 11;

    void print(PrintWriter out) {
        TextTable table = table(LABEL);
        if (server == null || facts == null) {
            table.addRowValues(
                    "Server",
                    "an embedded PostgreSQL for each scenario, of its own and on this machine"
                            + (standbyMillis == null
                                    ? ""
                                    : ", with a synchronous standby that is " + standbyMillis
                                            + " ms away; its processors are this machine's too"));
            table.addRowValues(
                    "Creates", "a data directory among the temporary files; removed at the end, or at Ctrl-C");
        } else {
            table.addRowValues("Server", server + " as " + facts.user() + ": " + facts.version());
            table.addRowValues(
                    "Creates",
                    "the schema " + BenchmarkSchema.NAME
                            + " with tables of its own, some ten MB; removed at the end, or at"
                            + " Ctrl-C. Nothing else is changed; before it begins it looks at the server's waits and hot"
                            + " tables, as the doctor does");
            table.addRowValues(
                    "Load",
                    "up to "
                            + scenarios.stream()
                                    .flatMap(scenario -> scenario.points().stream())
                                    .mapToInt(Point::connections)
                                    .max()
                                    .orElse(0)
                            + " connections, busy with all that the server can do: whoever else works there will feel it");
        }
        Duration time = Pace.estimate(scenarios);
        table.addRowValues("Takes", "about " + Durations.text(time) + ", until " + at(time));
        table.addRowValues("Report", report.toString());
        String label = "Scenarios";
        for (Scenario scenario : scenarios) {
            table.addRowValues(label, scenario.name() + ": " + size(scenario));
            label = "";
        }
        remarks.forEach(remark -> table.addRowValues("Note", remark));
        out.println(table);
        out.flush();
    }

    private static String at(Duration time) {
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        LocalDateTime end = now.plus(time);
        boolean isToday = end.toLocalDate().equals(now.toLocalDate());
        return DateTimeFormatter.ofPattern(isToday ? "HH:mm" : "yyyy-MM-dd HH:mm")
                .format(end);
    }

    /** Such as {@code 2 points x 9 variants and A/A x 3 rounds, 8 min}. */
    static String size(Scenario scenario) {
        return count(scenario.points().size(), "point") + " x "
                + count(scenario.variants().size(), "variant") + " and A/A x "
                + count(scenario.timing().rounds(), "round") + ", "
                + Durations.text(Pace.estimate(List.of(scenario)));
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    /** Of a label and a text that is wrapped. */
    static TextTable table(int label) {
        return TextTable.forColumns(
                new Help.ColorScheme.Builder(Ansi.OFF).build(),
                new Column(label, 0, Overflow.SPAN),
                new Column(Program.WIDTH - label, 1, Overflow.WRAP));
    }
}
