package org.rowlock.jmh.cli;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

/** Lists the planned actions of a command, so that the user can confirm or cancel. */
final class Plan {
    private Plan() {}

    /**
     * @param facts the facts of the user's own server; null for embedded servers
     */
    static TextTable of(List<Scenario> scenarios, @Nullable ServerFacts facts, List<String> remarks, Path report) {
        TextTable table = table(11);
        if (facts == null) {
            table.addRowValues("Server", "a separate embedded PostgreSQL for each scenario, on this machine");
            table.addRowValues("Creates", "a temporary data directory; removed at the end, or at Ctrl-C");
        } else {
            int most = scenarios.stream()
                    .flatMap(scenario -> scenario.points().stream())
                    .mapToInt(Point::connections)
                    .max()
                    .orElse(0);
            table.addRowValues("Server", facts.database() + " as " + facts.user() + ": " + facts.version());
            table.addRowValues(
                    "Creates",
                    "the schema " + BenchmarkSchema.NAME
                            + " with its own tables, some ten MB; removed at the end, or at Ctrl-C. Nothing else is"
                            + " changed");
            table.addRowValues(
                    "Load",
                    "up to " + most
                            + " connections, which use all of the server's capacity; other users will"
                            + " notice");
        }
        table.addRowValues("Takes", "about " + Pace.text(Pace.estimate(scenarios)));
        table.addRowValues("Report", report.toString());
        scenarios.forEach(scenario -> table.addRowValues("Scenario", scenario.name() + ": " + size(scenario)));
        remarks.forEach(remark -> table.addRowValues("Note", remark));
        return table;
    }

    /** Formats the size of a scenario, such as {@code 2 points x 9 variants and A/A x 3 rounds, 8 min}. */
    static String size(Scenario scenario) {
        return count(scenario.points().size(), "point") + " x "
                + count(scenario.variants().size(), "variant") + " and A/A x "
                + count(scenario.timing().rounds(), "round") + ", " + Pace.text(Pace.estimate(List.of(scenario)));
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    static TextTable table(int label) {
        return TextTable.forColumns(
                new Help.ColorScheme.Builder(Ansi.OFF).build(),
                new Column(label, 0, Overflow.SPAN),
                new Column(Program.WIDTH - label, 1, Overflow.WRAP));
    }
}
