package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.doctor.Cases.Waits;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Wait.Doing;

/** Checks the output for people and for programs. */
class ScreenTest {
    private static final String LONG_STATEMENT = "select " + "some_column, ".repeat(40) + "id from orders for update";

    private final Diagnosis sick = sick();

    private static Diagnosis sick() {
        Waits orders = new Waits("orders", 30);
        Waits other = new Waits("a_schema_with_a_long_name.a_table_with_a_long_name", 20);
        other.statement = LONG_STATEMENT;
        other.holders = Map.of(
                Doing.IDLE_IN_TRANSACTION,
                0.4,
                Doing.RUNNING,
                0.3,
                Doing.COMMITTING,
                0.2,
                Doing.WAITING_FOR_A_LOCK_ITSELF,
                0.1);
        return new Cases()
                .table(orders)
                .table(other)
                .table(new Waits("customer", 5))
                .table(new Waits("warehouse", 4))
                .locking(LONG_STATEMENT, 60, 0.1, 1)
                .busy("LWLock:SomethingWithAVeryLongNameThatIsNotExplained", 5)
                .lockTable(0.7)
                .horizon(new HorizonHolder(
                        "session", "1", "a_role, an application", LONG_STATEMENT, 123_456, 18_000.0, 17_000.0))
                .updated("orders", 90_000, null)
                .diagnose();
    }

    @ParameterizedTest
    @CsvSource({"80, 30", "120, 24"})
    void itIsOneScreenHoweverSick(int width, int height) {
        String first = sick.advice().get(0).rule();
        assertThat(sick.text(width, false).lines())
                .hasSizeLessThanOrEqualTo(height)
                .allSatisfy(
                        line -> assertThat(line).hasSizeLessThanOrEqualTo(width).doesNotEndWith(" "));
        assertThat(sick.text(width, false))
                .containsSubsequence(
                        "db:5432/shop", "hurt", "1. ", "3. ", "more with --details", "/docs/measure.md#" + first);
    }

    @Test
    void oneSessionIsSingular() {
        assertThat(Figures.fill("{n} sessions wait, {m} contend", Map.of("n", 1.0, "m", 11)))
                .isEqualTo("1 session waits, 11 contend");
        assertThat(Figures.fill("of {n} busy sessions {n} wait for a row", Map.of("n", 1)))
                .isEqualTo("of 1 busy session 1 waits for a row");
        assertThat(Figures.fill("{n} sessions run it, {m} sessions wait", Map.of("n", 0.1, "m", 2.1)))
                .isEqualTo("0.1 sessions run it, 2.1 sessions wait");
        assertThat(Figures.fill("{n} rows: {sql}", Map.of("n", 1, "sql", "fetch first 1 rows only")))
                .isEqualTo("1 row: fetch first 1 rows only");
    }

    @Test
    void aStatementThatIsCutShowsItsLock() {
        assertThat(LONG_STATEMENT).hasSizeGreaterThan(160);
        assertThat(Figures.statement(LONG_STATEMENT, 80)).hasSize(80).endsWith(" ... for update");
        assertThat(Figures.statement(LONG_STATEMENT)).hasSize(160).endsWith(" ... for update");
        assertThat(Figures.statement("select 1 from orders for update" + " -".repeat(100), 60))
                .hasSize(60)
                .startsWith("select 1 from orders for update - ")
                .endsWith(" ...");
    }

    @Test
    void detailsHaveAllAdviceWithReasons() {
        String text = sick.text(100, true).replaceAll("\\s+", " ");
        assertThat(sick.advice())
                .hasSizeGreaterThan(4)
                .allSatisfy(advice -> assertThat(text)
                        .contains(advice.action())
                        .contains(advice.figure().substring(1))
                        .contains(advice.reason()));
        assertThat(sick.text(100, true).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void theJsonHasTheSameWithFiguresAsNumbers() {
        JsonObject json = JsonParser.parseString(sick.json()).getAsJsonObject();
        assertThat(json.get("kind").getAsString()).isEqualTo("HURT");
        assertThat(json.get("verdict").getAsString()).isEqualTo(sick.verdict());
        assertThat(json.getAsJsonArray("advice")).hasSize(sick.advice().size());
        JsonObject seen = json.getAsJsonObject("seen");
        assertThat(seen.getAsJsonObject("sessions").get("row waits").getAsDouble())
                .isEqualTo(29 + 19 + 4 + 3);
        assertThat(seen.getAsJsonObject("busy").get("Lock:tuple").getAsDouble()).isEqualTo(55);
        assertThat(seen.getAsJsonArray("tables")
                        .get(0)
                        .getAsJsonObject()
                        .get("contenders")
                        .getAsDouble())
                .isEqualTo(30);
    }
}
