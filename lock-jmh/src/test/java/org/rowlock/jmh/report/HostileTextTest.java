package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Chart;
import org.rowlock.jmh.scenario.Metric;

/** Whatever a server, a command line or a failure says is text, and never markup or code. */
class HostileTextTest {
    private static final String HOSTILE = "</script><script>alert('x')</script><img src=x onerror=alert(1)>\"&{{page}}";

    private final RunResults results = new RunResults(
            List.of(hostileScenario()),
            Map.of(HOSTILE, HOSTILE + "\u001b[31m"),
            HOSTILE,
            Instant.EPOCH,
            Duration.ZERO,
            Map.of(HOSTILE, HOSTILE),
            Map.of(HOSTILE, HOSTILE),
            Map.of(HOSTILE, HOSTILE));

    private static ScenarioResult hostileScenario() {
        return MadeUp.scenario("hostile", new Metric(Metric.SCORE, HOSTILE, HOSTILE, Metric.Better.HIGHER))
                .texts(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
                .charts(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, HOSTILE),
                        new Chart(Chart.Kind.TIMELINE, Metric.SCORE, HOSTILE))
                .remarks(HOSTILE)
                .cell(HOSTILE, "ROW", 100, 100)
                .cell(HOSTILE, HOSTILE, 200, 200)
                .result();
    }

    @Test
    void isShownAsItIs() throws IOException {
        String html = HtmlPage.of(
                results, new ServerLook(HOSTILE, List.of(new ServerLook.Step(HOSTILE, HOSTILE, HOSTILE)), HOSTILE));
        assertThat(html).doesNotContain("<script>alert", "<img", "onerror=alert(1)>\"");
        assertThat(html).contains("&lt;/script&gt;&lt;script&gt;alert(");
        // The end of each script element is one of the template's four.
        assertThat(html.split("</script", -1)).hasSize(5);
    }

    @Test
    void isStillJson() {
        assertThat(JsonParser.parseString(JmhJson.of(results)).getAsJsonArray()).hasSize(2);
    }

    @Test
    void hasNoControlCharactersForATerminal() {
        assertThat(TerminalSummary.of(results)).doesNotContain("\u001b");
    }
}
