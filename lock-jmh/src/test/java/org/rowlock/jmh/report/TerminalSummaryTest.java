package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;

class TerminalSummaryTest {
    @Test
    void hasATableWithRatiosAndTheVerdict() {
        ScenarioResult result = MadeUp.scenario("clients")
                .cell("2", "ROW", 1000, 1000)
                .cell("2", "ADVISORY", 820, 800)
                .cell("90", "ROW", 1000, 1000)
                .cell("90", "ADVISORY", 2000, 2100)
                .result();
        String text = TerminalSummary.of(MadeUp.run(result));
        assertThat(text.lines())
                .anySatisfy(line -> assertThat(line).matches(" +clients +2 +90"))
                .anySatisfy(line -> assertThat(line).matches(" +ROW +1,000 +1,000"))
                .anySatisfy(
                        line -> assertThat(line)
                                .matches(
                                        " +ADVISORY +810 +0\\.81x \\(0\\.80 to 0\\.82\\) - +2,050 +2\\.05x \\(2\\.00 to 2\\.10\\) \\+"));
        assertThat(text)
                .contains("Most is gained by ADVISORY")
                .contains("Most is lost by ADVISORY")
                .contains(OverallVerdict.Answer.PARTLY.words());
    }

    @Test
    void fitsAHundredColumns() {
        MadeUp scenario = MadeUp.scenario("clients");
        for (String point : List.of("1", "2", "4", "10", "30", "90", "200", "300")) {
            scenario.cell(point, "ROW", 123_456, 123_457).cell(point, "ADVISORY+pipelined+admission", 1.5, 1e6);
        }
        RunResults results = MadeUp.run(
                List.of(scenario.result()),
                Map.of("zipfian, ADVISORY", "Invariant violated: " + "two were inside ".repeat(12) + "x".repeat(150)));
        String text = TerminalSummary.of(results);
        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(text).contains("FAILED: zipfian, ADVISORY: Invariant violated", "AN INVARIANT WAS VIOLATED");
    }

    @Test
    void saysWhatHasNoResult() {
        ScenarioResult result = MadeUp.scenario("zipfian")
                .cell("90", "ROW", 1000, 1000)
                .variant("BOTH")
                .result();
        assertThat(TerminalSummary.of(MadeUp.run(result)).lines())
                .anySatisfy(line -> assertThat(line).matches(" +BOTH +none"));
    }
}
