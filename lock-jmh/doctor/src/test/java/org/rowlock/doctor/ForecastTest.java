package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.doctor.Cases.Waits;
import org.rowlock.doctor.Wait.Doing;
import org.rowlock.tool.HotStatement;
import org.rowlock.tool.UserError;

/** Checks the forecast of each lever from the parts of a lock cycle. */
class ForecastTest {
    /**
     * Returns a lock cycle of 20 ms. The holder is idle for 8 ms, in pauses of 3.4 ms. Then it commits for 6 ms, and the
     * next session is woken for 4 ms.
     */
    private static Waits cycle() {
        Waits table = new Waits("orders", 21);
        table.firstWaitMillis = 10;
        table.idleMillis = 2.125;
        Map<Doing, Double> shares = new LinkedHashMap<>();
        shares.put(Doing.IDLE_IN_TRANSACTION, 0.4);
        shares.put(Doing.COMMITTING, 0.3);
        shares.put(Doing.NONE_YET, 0.2);
        shares.put(Doing.RUNNING, 0.1);
        table.holders = shares;
        return table;
    }

    private static Forecast forecast(Table table) {
        return Forecast.of(table, Double.POSITIVE_INFINITY);
    }

    @Test
    void eachLeverTakesItsPartOfTheTurn() {
        Forecast forecast = forecast(cycle().table());
        assertThat(forecast.perSecond()).isEqualTo(50, within(0.01));
        assertThat(forecast.levers().get("with 2 round trips")).isEqualTo(1_000 / (5.4 + 3.4), within(0.01));
        assertThat(forecast.levers().get("with all in one round trip")).isEqualTo(1_000 / 5.4, within(0.01));
        assertThat(forecast.levers().get("with early release")).isEqualTo(1_000 / (0.6 + 14), within(0.01));
        assertThat(forecast.levers().get("with a queue")).isEqualTo(1_000 / (0.6 + 16), within(0.01));
        assertThat(forecast.levers().get("with groups in one JVM"))
                .isCloseTo(10_500 / (0.6 + 10.5 * 2 + 6 + 4), within(0.01));
    }

    /** A transaction of two round trips has one pause. Without a pause, all is in one round trip. */
    @Test
    void roundTripsThatAreNotThereAreNotSaved() {
        Waits table = cycle();
        table.idleMillis = 4;
        assertThat(forecast(table.table()).levers()).doesNotContainKey("with 2 round trips");
        table.holders = Map.of(Doing.COMMITTING, 0.95, Doing.IDLE_IN_TRANSACTION, 0.05);
        assertThat(forecast(table.table()).levers()).doesNotContainKey("with all in one round trip");
    }

    /** Of 100 samples none saw another state. */
    @Test
    void whatNoSampleSawTakesThreeSamplesAtMost() {
        Waits table = cycle();
        table.holders = Map.of(Doing.IDLE_IN_TRANSACTION, 1.0);
        assertThat(forecast(table.table()).levers().get("with all in one round trip"))
                .isEqualTo(100 * 1_000 / (3 * 16.0), within(0.01));
        table.firstWaitMillis = 10_000;
        assertThat(forecast(table.table())).isNull();
    }

    /** The server counts locks exactly, and the doctor only estimates how often a row is locked. */
    @Test
    void aRowIsNotLockedMoreOftenThanItsTable() {
        Waits table = cycle();
        assertThat(Forecast.of(table.table(), 40).perSecond()).isEqualTo(40, within(0.01));
        assertThat(Forecast.of(table.table(), 400).perSecond()).isEqualTo(50, within(0.01));
    }

    /** Many sessions hold a shared lock at the same time, so the time from lock to lock says nothing. */
    @Test
    void theRateOfASharedRowIsNotForetold() {
        Waits table = cycle();
        table.holderStatement = "select * from orders where id = ? for share";
        assertThat(forecast(table.table())).isNull();
        table.holderStatement = "commit";
        table.cause = StatementKind.FOREIGN_KEY;
        assertThat(forecast(table.table())).isNull();
    }

    @Test
    void whatGainsNothingIsNoLever() {
        Waits table = new Waits("orders", 21);
        assertThat(forecast(table.table()).levers()).isEmpty();
        assertThat(new Cases().table(table).diagnose().text(Clinic.WIDE, false)).doesNotContain("hottest row of");
    }

    @Test
    void whatIsNotKnownIsNotForetold() {
        Waits table = cycle();
        table.firstWaitMillis = 2;
        assertThat(forecast(table.table())).as("too short to be seen").isNull();
        table.firstWaitMillis = 10;
        table.holders = Map.of(Doing.NOT_VISIBLE, 1.0);
        assertThat(forecast(table.table())).isNull();
        table.holders = Map.of(Doing.NONE_YET, 1.0);
        assertThat(forecast(table.table())).isNull();
        table.holders = Map.of(Doing.WAITING_FOR_A_LOCK_ITSELF, 0.5, Doing.RUNNING, 0.5);
        assertThat(forecast(table.table())).isNull();
    }

    @Test
    void theScreenAndThePageShowIt() {
        Diagnosis diagnosis = new Cases().table(cycle()).diagnose();
        assertThat(diagnosis.text(Clinic.WIDE, false))
                .contains("The hottest row of orders does about 50/s; with 2 round trips about 114/s");
        assertThat(diagnosis.advice().get(0).rule()).isEqualTo("fewer-round-trips");
        assertThat(diagnosis.html(null))
                .contains("<td>transactions a second of the hottest row</td><td>50</td><td>114</td>")
                .contains("<strong>Cost:</strong>", "<strong>Way back:</strong>")
                .doesNotContain("<script");
        assertThat(diagnosis.html(new Before("2026-01-01T00:00:00Z", Map.of("hottestPerSecond", 31.0))))
                .contains("<th>2026-01-01 00:00</th>", "<td>31</td><td>50</td><td>114</td>");
    }

    /** Of the 10,000 statements in 20 seconds, 50 per second lock the hottest row. */
    @Test
    void theStatementIsWrittenForTheBenchmarks(@TempDir Path directory) throws IOException {
        Cases cases = new Cases().table(cycle()).updated("orders", 0, null);
        Path file = Files.writeString(
                directory.resolve("doctor.json"), cases.diagnose().json());
        HotStatement hot = HotStatement.read(file);
        assertThat(hot.statement()).isEqualTo("select * from orders where id = ? for update");
        assertThat(hot.table()).isEqualTo("orders");
        assertThat(hot.mode()).isEqualTo("FOR_UPDATE");
        assertThat(hot.clients()).isEqualTo(21);
        assertThat(hot.holdMillis())
                .as("the turn of 20 ms without the fifth that wakes the next")
                .isCloseTo(16, within(0.01));
        assertThat(hot.hottestPercent()).isCloseTo(100 * 50 / (10_000 / 20.0), within(0.01));
    }

    @Test
    void withoutWaitsThereIsNoStatement(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(
                directory.resolve("doctor.json"), new Cases().diagnose().json());
        assertThatThrownBy(() -> HotStatement.read(file))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("no statement that waits for a row");
    }
}
