package org.rowlock.doctor;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rowlock.doctor.Finding.Detail;

/** The report for a terminal, at most {@value #WIDTH} columns wide. */
final class TextReport {
    static final int WIDTH = 100;
    private static final int FIGURE = 8;
    private static final int LABEL = 13;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

    private final StringBuilder text = new StringBuilder();

    private TextReport() {}

    static String of(Examination seen, Judgement diagnosis) {
        TextReport report = new TextReport();
        report.head(seen);
        report.heading("Verdict");
        report.wrap("  ", "  ", diagnosis.verdict().text());
        for (Section section : diagnosis.sections()) {
            report.section(section);
        }
        report.unseen(diagnosis.unseen());
        report.recommendations(diagnosis.recommendations());
        return report.text.toString();
    }

    private void head(Examination seen) {
        Server server = seen.server();
        wrap(
                "",
                "",
                "Rowlock doctor at " + seen.address() + ": PostgreSQL " + server.version()
                        + (server.inRecovery() ? " (standby)" : "") + ", database " + server.database() + ", as "
                        + server.role());
        wrap(
                "",
                "",
                TIME.format(seen.started()) + ", " + seen.samples().count() + " samples in "
                        + Figures.duration(seen.samples().took()) + ", in read-only transactions");
    }

    private void heading(String title) {
        text.append('\n').append(title.toUpperCase(Locale.ROOT)).append('\n');
    }

    private void section(Section section) {
        // What stands in parentheses explains the figures, and is not shouted.
        int parenthesis = section.title().indexOf(" (");
        String title = parenthesis < 0 ? section.title() : section.title().substring(0, parenthesis);
        String rest = parenthesis < 0 ? "" : section.title().substring(parenthesis);
        text.append('\n');
        wrap("", "  ", title.toUpperCase(Locale.ROOT) + rest);
        for (Finding finding : section.findings()) {
            String figure = String.format("%s %" + FIGURE + "s  ", finding.isBad() ? "!" : " ", finding.figure());
            wrap(figure, " ".repeat(FIGURE + 4), finding.text());
            for (Detail detail : finding.details()) {
                wrap(
                        " ".repeat(FIGURE + 4) + String.format("%-" + LABEL + "s ", detail.label()),
                        " ".repeat(FIGURE + 4 + LABEL + 1),
                        detail.text());
            }
        }
    }

    private void unseen(List<Unseen> unseen) {
        heading("What could not be seen");
        for (Unseen each : unseen) {
            wrap(
                    "  - ",
                    "    ",
                    each.what() + ": " + each.why() + (each.remedy().isEmpty() ? "" : " " + each.remedy()));
        }
    }

    private void recommendations(List<Advice> recommendations) {
        heading("Recommendations");
        int number = 1;
        for (Advice each : recommendations) {
            String first = String.format("%3d. ", number++);
            wrap(first, "     ", each.subject() + ": " + each.action());
            wrap("     ", "     ", each.reason());
        }
    }

    /** Breaks at spaces; a word that is longer than a line is left whole. */
    private void wrap(String first, String next, String words) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(first);
        boolean empty = true;
        for (String word : words.split(" ", -1)) {
            if (!empty && line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder(next);
                empty = true;
            }
            line.append(empty ? "" : " ").append(word);
            empty = false;
        }
        lines.add(line.toString());
        lines.forEach(each -> text.append(each.stripTrailing()).append('\n'));
    }
}
