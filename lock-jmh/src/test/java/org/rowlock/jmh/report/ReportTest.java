package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.jmh.run.Call;
import org.rowlock.jmh.run.Ratio;
import org.rowlock.jmh.run.Results;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Metric;

/**
 * Checks that the report contains the results. Text from a server or a failure must appear as text, and never as markup
 * or code.
 */
class ReportTest {
    private static final String HOSTILE = "</script><script>alert('x')</script><img src=x onerror=alert(1)>\"&@data@$1";

    @TempDir
    private Path directory;

    private static Results results(String text) {
        VariantResult baseline = new VariantResult(
                "ROW",
                Kind.BASELINE,
                List.of(100.0, 101.0),
                Map.of("score", 100.5, "cpu.cores", 2.0),
                Map.of("Lock:tuple", 3.0),
                null,
                null,
                "locks",
                List.of());
        VariantResult other = new VariantResult(
                text,
                Kind.VARIANT,
                List.of(200.0, 210.0),
                Map.of("score", 205.0),
                Map.of(text, 1.0),
                new Ratio(2.04, 1.9, 2.2),
                Call.BETTER,
                text,
                List.of(1.0, 2.0));
        PointResult point = new PointResult(text, 0.5, new Ratio(1, 0.97, 1.03), List.of(baseline, other));
        ScenarioResult scenario = new ScenarioResult(
                "zipfian",
                text,
                text,
                text,
                "ROW",
                List.of(new Metric(Metric.SCORE, text, "1/s", Metric.Better.HIGHER)),
                List.of(point));
        Map<String, String> said = Map.of(text, text);
        return new Results(
                "Use " + text,
                Call.RULES,
                "ROW is " + text,
                text,
                "2026-01-02T03:04:05Z",
                61,
                text,
                said,
                said,
                said,
                List.of(scenario),
                List.of(text + "\u001b[31m"),
                List.of(text));
    }

    @Test
    void theJsonIsTheResults() throws Exception {
        Results results = results("plain");
        Report.write(results, directory);
        String json = Files.readString(directory.resolve("results.json"));
        assertThat(new Gson().fromJson(json, Results.class)).isEqualTo(results);
    }

    @Test
    void hostileTextEndsNoElement() throws Exception {
        String html = Files.readString(Report.write(results(HOSTILE), directory));
        assertThat(html).doesNotContain("<script>alert", "<img", "onerror=alert(1)>\"");
        // The only ends of script elements are the three ends in the template.
        assertThat(html.split("</script", -1)).hasSize(4);
        assertThat(html.split("id=\"results\"", -1)).hasSize(2);
    }

    @Test
    void withoutScriptsThePageHasTheTablesOfTheTerminal() throws Exception {
        String html = Files.readString(Report.write(results("plain"), directory));
        assertThat(html)
                .contains(
                        "<p>Failed: plain?[31m</p>", "<p>Use plain</p>", "<p>  Note: plain</p>", "<p>ROW is plain</p>")
                .containsPattern("(?s)<pre>  ROW .*better +limit: plain\\R</pre>");
    }

    /** A page without scripts, and the script, take the rules of the verdicts from the results. */
    @Test
    void thePageHasOneTextOfTheRules() throws Exception {
        String html = Files.readString(Report.write(results("plain"), directory));
        assertThat(html.split(Pattern.quote(Call.RULES), -1)).hasSize(3);
        assertThat(html).contains("results.rules");
    }

    @Test
    void thePageAsksNobodyForAnything() throws Exception {
        String html = Files.readString(Report.write(results("plain"), directory));
        assertThat(html).contains("default-src 'none'").doesNotContain("src=\"http", "href=\"http", "@import", "url(");
    }

    @Test
    void theTerminalGetsRatiosAndNoControlCharacters() {
        String text = Summary.of(results("ADVISORY"));
        assertThat(text)
                .contains(
                        "again (A/A)", "1.00x (0.97 to 1.03)", "2.04x (1.90 to 2.20)", "better", "round trip 0.50 ms");
        assertThat(text.strip()).startsWith("Use ADVISORY").endsWith(Call.RULES);
        assertThat(Summary.of(results(HOSTILE + "\u001b[2J\u009b2J\u202e")))
                .contains("?[2J?2J?")
                .doesNotContain("\u001b", "\u009b", "\u202e");
    }
}
