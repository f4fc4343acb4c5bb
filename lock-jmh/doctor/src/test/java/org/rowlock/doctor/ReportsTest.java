package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Examinations.running;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.rowlock.RowLockMode;

/** What a person and a program get to read. */
class ReportsTest {
    private static final String LONG_STATEMENT = "select " + "some_column, ".repeat(40) + "id from orders for update";

    private final Examination seen = new Examinations()
            .queue("orders", 30)
            .queue(
                    "a_schema_with_a_long_name.a_table_with_a_long_name",
                    20,
                    RowLockMode.FOR_SHARE,
                    LONG_STATEMENT,
                    running())
            .busy("LWLock:SomethingWithAVeryLongNameThatIsNotExplained", 5)
            .statement(LONG_STATEMENT, 4)
            .multixactsPerSecond(500)
            .horizon(new HorizonHolder(
                    HorizonHolder.Kind.SESSION,
                    "1",
                    "a_role_with_a_long_name",
                    "an application with a long name",
                    "idle in transaction",
                    LONG_STATEMENT,
                    123_456,
                    Duration.ofHours(5)))
            .updates(new TableUpdates("orders", 10_000, 9_000, 100, 90_000, null))
            .build();

    @Test
    void noLineIsWiderThanTheTerminal() {
        assertThat(TextReport.of(seen, Judgement.of(seen)).lines())
                .allSatisfy(line -> assertThat(line)
                        .hasSizeLessThanOrEqualTo(TextReport.WIDTH)
                        .doesNotEndWith(" "));
    }

    @Test
    void theVerdictStandsFirstAndTheRecommendationsLast() {
        String text = TextReport.of(seen, Judgement.of(seen));
        assertThat(text)
                .containsSubsequence(
                        "db:5432/shop",
                        "VERDICT",
                        "Row locks hurt this server",
                        "WHOSE ROWS",
                        "WHAT COULD NOT BE SEEN",
                        "RECOMMENDATIONS",
                        "1. ",
                        "2. ");
    }

    @Test
    void theJsonHasTheFiguresAsNumbers() {
        JsonObject json =
                JsonParser.parseString(JsonReport.of(seen, Judgement.of(seen))).getAsJsonObject();
        assertThat(json.getAsJsonObject("diagnosis")
                        .getAsJsonObject("verdict")
                        .get("kind")
                        .getAsString())
                .isEqualTo("HURT");
        assertThat(json.get("rowLockWaits").getAsDouble()).isEqualTo(50);
        assertThat(json.getAsJsonObject("waits").get("Lock:tuple").getAsDouble())
                .isEqualTo(48);
        assertThat(json.getAsJsonArray("tables")
                        .get(0)
                        .getAsJsonObject()
                        .get("contenders")
                        .getAsDouble())
                .isEqualTo(31);
        assertThat(json.getAsJsonObject("diagnosis").getAsJsonArray("recommendations"))
                .isNotEmpty();
    }
}
