package org.rowlock.doctor;

import static org.rowlock.tool.Texts.escaped;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Docs;

/**
 * Formats a diagnosis as a page without scripts, to decide from: the change, its cost, the way back, and figures now
 * and with the change.
 */
record Page(Diagnosis diagnosis, @Nullable Before before) {
    private static final String STYLE = """
            :root { color-scheme: light dark; }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
            h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
            p, li, code { overflow-wrap: anywhere; }
            table { border-collapse: collapse; width: 100%; }
            th, td { text-align: right; padding: .35rem .5rem; border-bottom: 1px solid #8885; vertical-align: top; }
            th:first-child, td:first-child { text-align: left; }
            .change { border-left: .3rem solid #1f5fa8; padding: .1rem 1rem; }
            .soft { opacity: .75; font-size: .9rem; }
            """;

    String text() {
        StringBuilder html = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                + "<title>Locks of " + escaped(diagnosis.seen().server().address()) + "</title><style>" + STYLE
                + "</style></head><body>\n");
        html.append("<h1>").append(escaped(diagnosis.verdict())).append("</h1>\n");
        List<Advice> advice = diagnosis.advice();
        if (!advice.isEmpty()) {
            change(html, advice.get(0));
        }
        figures(html);
        if (advice.size() > 1) {
            html.append("<h2>Next</h2>\n<ol start=\"2\">\n");
            advice.stream()
                    .skip(1)
                    .forEach(each -> html.append("<li><strong>")
                            .append(escaped(each.subject() + ": " + each.action()))
                            .append("</strong> ")
                            .append(escaped(Figures.upper(each.figure()) + "."))
                            .append("</li>\n"));
            html.append("</ol>\n");
        }
        Seen seen = diagnosis.seen();
        String unseen = seen.unseen().stream().map(Unseen::what).collect(Collectors.joining(", "));
        html.append("<p class=\"soft\">")
                .append(escaped(Figures.fill(
                                "PostgreSQL {version} at {address}, {started}, {seconds}, {samples} samples."
                                        + " Not seen: ",
                                seen,
                                seen.server())
                        + unseen + ". Words and limits: " + Docs.URL + "measure.md"))
                .append("</p>\n</body></html>\n");
        return html.toString();
    }

    private static void change(StringBuilder html, Advice first) {
        html.append("<div class=\"change\">\n");
        line(html, "Change", first.subject() + ": " + first.action());
        line(html, "Seen", Figures.upper(first.figure()) + ".");
        if (first.statement() != null) {
            html.append("<p><code>").append(escaped(first.statement())).append("</code></p>\n");
        }
        line(html, "Why", first.reason());
        line(html, "Cost", price("cost", first.rule()));
        line(html, "Way back", price("back", first.rule()));
        html.append("</div>\n");
    }

    private static String price(String kind, String rule) {
        String own = Figures.words(kind + "." + rule);
        return own.isEmpty() ? Figures.words(kind + ".other") : own;
    }

    private static void line(StringBuilder html, String title, String text) {
        html.append("<p><strong>")
                .append(title)
                .append(":</strong> ")
                .append(escaped(text))
                .append("</p>\n");
    }

    private void figures(StringBuilder html) {
        Map<String, Double> then = before == null ? Map.of() : before.figures();
        Map<String, Double> expected = expected();
        html.append("<h2>Figures</h2>\n<table><tr><th></th>");
        html.append(
                before == null
                        ? ""
                        : "<th>" + escaped(before.started().substring(0, 16).replace('T', ' ')) + "</th>");
        html.append("<th>now</th>");
        html.append(expected.isEmpty() ? "" : "<th>with the change, at most</th>")
                .append("</tr>\n");
        diagnosis.figures().forEach((name, now) -> {
            html.append("<tr><td>")
                    .append(escaped(Figures.words("compared." + name)))
                    .append("</td>");
            html.append(before == null ? "" : cell(name, then.get(name)));
            html.append(cell(name, now));
            html.append(expected.isEmpty() ? "" : cell(name, expected.get(name)))
                    .append("</tr>\n");
        });
        html.append("</table>\n");
        Forecast forecast = diagnosis.forecast();
        if (forecast != null) {
            html.append("<p class=\"soft\">").append(escaped(forecast.text())).append("</p>\n");
        }
    }

    private static String cell(String name, @Nullable Double value) {
        return "<td>" + (value == null ? "&ndash;" : escaped(Figures.fill("{" + name + "}", Map.of(name, value))))
                + "</td>";
    }

    /** The figures of the hottest row with the first advice; empty if that is no lever of the forecast. */
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
