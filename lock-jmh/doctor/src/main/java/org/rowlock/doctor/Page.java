package org.rowlock.doctor;

import static org.rowlock.tool.Texts.escaped;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Docs;
import org.rowlock.tool.Texts;

/**
 * Formats a diagnosis as an HTML page without scripts. The page shows the first advice, its cost, how to undo it, the
 * current figures, and the estimated figures after the change.
 */
record Page(Diagnosis diagnosis, @Nullable Before before) {
    private static final String TEMPLATE = Texts.resource(Page.class, "page.html");

    String text() {
        Seen seen = diagnosis.seen();
        List<Advice> advice = diagnosis.advice();
        Forecast forecast = diagnosis.forecast();
        String unseen = seen.unseen().stream().map(Unseen::what).collect(Collectors.joining(", "));
        String looked = Figures.fill(
                "PostgreSQL {version} at {address}, {started}, {seconds}, {samples} samples. Not seen: ",
                seen,
                seen.server());
        return Figures.fill(
                TEMPLATE,
                Map.of(
                        "address", escaped(seen.server().address()),
                        "verdict", escaped(diagnosis.verdict()),
                        "change", advice.isEmpty() ? "" : change(advice.get(0)),
                        "columns", columns(),
                        "figures", figures(),
                        "forecast", forecast == null ? "" : escaped(forecast.text()),
                        "next", advice.size() < 2 ? "" : next(advice.subList(1, advice.size())),
                        "seen", escaped(looked + unseen + ". Explanations: " + Docs.URL + "measure.md")));
    }

    private static String change(Advice first) {
        return "<div class=\"change\">\n"
                + line("Change", first.subject() + ": " + first.action())
                + line("Seen", Figures.upper(first.figure()) + ".")
                + (first.statement() == null ? "" : "<p><code>" + escaped(first.statement()) + "</code></p>\n")
                + line("Why", first.reason())
                + line("Cost", price("cost", first.rule()))
                + line("Way back", price("back", first.rule()))
                + "</div>";
    }

    private static String price(String kind, String rule) {
        String own = Figures.words(kind + "." + rule);
        return own.isEmpty() ? Figures.words(kind + ".other") : own;
    }

    private static String line(String title, String text) {
        return "<p><strong>" + title + ":</strong> " + escaped(text) + "</p>\n";
    }

    private static String next(List<Advice> others) {
        return others.stream()
                .map(each -> "<li><strong>" + escaped(each.subject() + ": " + each.action()) + "</strong> "
                        + escaped(Figures.upper(each.figure()) + ".") + "</li>\n")
                .collect(Collectors.joining("", "<h2>Next</h2>\n<ol start=\"2\">\n", "</ol>"));
    }

    private String columns() {
        String then = before == null ? "" : before.started().substring(0, 16).replace('T', ' ');
        return (then.isEmpty() ? "" : "<th>" + escaped(then) + "</th>")
                + "<th>now</th>"
                + (expected().isEmpty() ? "" : "<th>with the change, about</th>");
    }

    private String figures() {
        Map<String, Double> expected = expected();
        return diagnosis.figures().entrySet().stream()
                .map(each -> "<tr><td>" + escaped(Figures.words("compared." + each.getKey())) + "</td>"
                        + (before == null
                                ? ""
                                : cell(each.getKey(), before.figures().get(each.getKey())))
                        + cell(each.getKey(), each.getValue())
                        + (expected.isEmpty() ? "" : cell(each.getKey(), expected.get(each.getKey())))
                        + "</tr>")
                .collect(Collectors.joining("\n"));
    }

    private static String cell(String name, @Nullable Double value) {
        return "<td>" + (value == null ? "&ndash;" : escaped(Figures.show(name, value))) + "</td>";
    }

    /**
     * The estimated figures of the hottest row after the first advice; empty if the forecast has no estimate for that
     * advice.
     */
    private Map<String, Double> expected() {
        Forecast forecast = diagnosis.forecast();
        Double rate = forecast == null || diagnosis.advice().isEmpty()
                ? null
                : forecast.levers()
                        .get(Figures.words("lever." + diagnosis.advice().get(0).rule()));
        if (rate == null) {
            return Map.of();
        }
        double faster = rate / Objects.requireNonNull(forecast).perSecond();
        Map<String, Double> expected = new LinkedHashMap<>();
        diagnosis.figures().forEach((name, now) -> {
            if (name.equals("hottestPerSecond")) {
                expected.put(name, now * faster);
            } else if (name.equals("turnMillis") || name.equals("waitMillis")) {
                expected.put(name, now / faster);
            }
        });
        return expected;
    }
}
