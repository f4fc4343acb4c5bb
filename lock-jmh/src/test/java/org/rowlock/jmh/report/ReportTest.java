package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.ZipfianBenchmark;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.testing.JmhRuns;

/** The files, of results that JMH itself has made. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportTest {
    private static final List<String> VARIANTS = List.of("ROW", "ADVISORY");

    private RunResults results;
    private String html;
    private JsonArray json;

    @BeforeAll
    void run(@TempDir Path directory) throws RunnerException, IOException {
        Scenario scenario = Scenarios.named("zipfian").orElseThrow();
        Point point = Point.of("zipf", 4, Map.of("keys", "zipf"));
        List<Cell> cells = new ArrayList<>();
        for (String variant : VARIANTS) {
            RunResult result =
                    JmhRuns.run(scenario.benchmark(), point, variant).iterator().next();
            cells.add(new Cell(point, variant, List.copyOf(result.getBenchmarkResults())));
        }
        results = MadeUp.run(new ScenarioResult(scenario, List.of(point), VARIANTS, cells, List.of("A remark.")));
        Report.Written written = Report.write(
                results,
                new ServerLook(
                        "Row locks hurt this server.",
                        List.of(new ServerLook.Step("sales.orders", "BOTH first.", "26 sessions wait for its rows.")),
                        "All that was seen."),
                directory.resolve("out"));
        html = Files.readString(written.html());
        json = JsonParser.parseString(Files.readString(written.json())).getAsJsonArray();
    }

    @Test
    void showsWhatWasMeasured() {
        Cell cell = results.results().get(0).cells().get(0);
        assertThat(html)
                .contains("Should we move off FOR UPDATE?", "Hot rows: lock one of 100", "A remark.", "66.5 ms")
                .contains("<b>" + Numbers.value(cell.mean("throughput").orElseThrow()) + "</b>")
                .contains("java -jar benchmarks.jar compare --seconds 4", "PostgreSQL 18.6", "12 min 34 s");
    }

    @Test
    void hasALinkForEverySectionAndASectionForEveryLink() {
        List<String> links = all("href=\"#([^\"]+)\"");
        assertThat(links).contains("scenario-zipfian", "verdict", "run");
        assertThat(all("\\bid=\"([^\"]+)\"")).doesNotHaveDuplicates().containsAll(links);
    }

    @Test
    void saysWhichTablesOfTheServerComeFirst() throws IOException {
        assertThat(html)
                .contains("Row locks hurt this server.", "All that was seen.")
                .containsPattern("sales\\.orders</b>: BOTH first\\.<br>26 sessions wait");
        assertThat(HtmlPage.of(results, null)).contains("doctor --url");
    }

    @Test
    void drawsOnEveryCanvas() {
        JsonArray specs = JsonParser.parseString(
                        all("id=\"chart-data\">(.*?)</script>").get(0))
                .getAsJsonArray();
        List<String> drawn = new ArrayList<>();
        specs.forEach(spec -> drawn.add(spec.getAsJsonObject().get("id").getAsString()));
        assertThat(drawn).isNotEmpty().containsExactlyInAnyOrderElementsOf(all("<canvas id=\"([^\"]+)\""));
        assertThat(html).contains("Chart.js v");
    }

    @Test
    void asksTheNetworkForNothing() {
        assertThat(all("<(?:script|img|iframe|source|link|object|embed)\\b[^>]*\\b(?:src|href|data)=\"([^\"]*)\""))
                .containsExactly("data:,");
        assertThat(all("url\\(([^)]*)\\)")).isEmpty();
        assertThat(html)
                .doesNotContain("@import", "sourceMappingURL", "fetch(", "XMLHttpRequest")
                .contains("default-src 'none'");
    }

    @Test
    void jsonIsWhatJmhItselfWouldWrite() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        ResultFormatFactory.getInstance(ResultFormatType.JSON, out)
                .writeOut(results.results().get(0).cells().stream()
                        .map(Cell::merged)
                        .toList());
        JsonArray expected =
                JsonParser.parseString(bytes.toString(StandardCharsets.UTF_8)).getAsJsonArray();
        for (JsonElement element : expected) {
            JsonObject params = element.getAsJsonObject().getAsJsonObject("params");
            params.addProperty("scenario", "zipfian");
            params.addProperty("point", "zipf");
            element.getAsJsonObject()
                    .add("jvmArgs", withoutOurs(element.getAsJsonObject().getAsJsonArray("jvmArgs")));
        }
        assertThat(json).isEqualTo(expected);
        assertThat(json.get(0).getAsJsonObject().get("benchmark").getAsString())
                .isEqualTo(ZipfianBenchmark.class.getName() + ".transaction");
    }

    @Test
    void jsonTellsNoPassword() {
        assertThat(results.results()
                        .get(0)
                        .cells()
                        .get(0)
                        .rounds()
                        .get(0)
                        .getParams()
                        .getJvmArgs())
                .anyMatch(argument -> argument.startsWith("-Drowlock.password="));
        assertThat(json.toString()).doesNotContain("rowlock.password");
    }

    private static JsonArray withoutOurs(JsonArray arguments) {
        JsonArray kept = new JsonArray();
        for (JsonElement argument : arguments) {
            if (!argument.getAsString().startsWith("-Drowlock.")) {
                kept.add(argument);
            }
        }
        return kept;
    }

    private List<String> all(String regex) {
        // Without the library's own code, which has all kinds of strings in it.
        String page = html.replaceAll("(?s)/\\*!\\s*\\* Chart\\.js.*?</script>", "</script>");
        List<String> found = new ArrayList<>();
        Matcher matcher = Pattern.compile(regex, Pattern.DOTALL).matcher(page);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
