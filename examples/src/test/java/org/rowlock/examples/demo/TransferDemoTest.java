package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.rowlock.LockStrategy;
import org.rowlock.examples.demo.DemoProgram.Result;
import org.rowlock.testing.TestPostgres;

/** The demo as a whole, in a short form, on a real server. */
@Tag("long")
class TransferDemoTest {
    private static final String UNDEFINED_TABLE = "42P01";

    private final DemoProgram demo = new DemoProgram(TestPostgres.shared());

    @AfterEach
    void nothingIsLeftBehind() throws SQLException {
        demo.assertNothingLeftBehind();
    }

    @Test
    void comparesEveryConfigurationAndTheMoneyIsExact() {
        Result result = DemoProgram.run(demo.settings());

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        for (LockStrategy strategy : LockStrategy.values()) {
            for (String admission : new String[] {"no", "yes"}) {
                assertThat(result.out()).containsPattern("(?m)^" + strategy + " +" + admission + " +.*exact$");
            }
        }
        assertThat(result.out())
                .contains("round 1 of", "strategy", "admission", "Nothing lost, nothing created")
                .containsPattern("(?m)^FOR UPDATE by hand .* 1.00x .* p99 .* ms$")
                .containsPattern("(?m)^Rowlock, default .* p99 .* ms$")
                .containsPattern("(?m)^Rowlock, groups of 32 .* p99 .* ms$")
                .doesNotContain("NaN");
    }

    @Test
    void startsAServerOfItsOwnWhenNoneIsGiven() {
        Result result = DemoProgram.run(new DemoSettings(null, null, null, Duration.ofMillis(200), 4));

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out())
                .contains("embedded (fsync=on, synchronous_commit=on)", "Nothing lost, nothing created");
    }

    @Test
    void oneClientIsEnough() {
        Result result = DemoProgram.run(demo.withClients(1));

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
    }

    @Test
    void saysWhatItWillCreateBeforeItDoes() {
        Result result = DemoProgram.run(demo.settings());

        assertThat(result.out().lines().limit(4))
                .anyMatch(line -> line.contains("Creates the schema rowlock_demo") && line.contains("drops"))
                .anyMatch(line -> line.matches(".*takes about \\d+ s.*"));
    }

    @Test
    void failsLoudlyWhenTheMoneyIsWrong() throws Exception {
        CompletableFuture<Void> stranger = CompletableFuture.runAsync(this::createMoneyUntilTheTableIsGone);

        Result result = DemoProgram.run(demo.settings());

        stranger.get(1, TimeUnit.MINUTES);
        assertThat(result.status()).isNotZero();
        assertThat(result.err()).contains("MONEY CHECK FAILED", "rowlock_demo.account");
        assertThat(result.out()).contains("WRONG").doesNotContain("Nothing lost");
    }

    private void createMoneyUntilTheTableIsGone() {
        demo.awaitTransfers();
        try {
            while (true) {
                demo.execute("update rowlock_demo.account set balance = balance + 1 where id = 100");
            }
        } catch (PSQLException e) {
            assertThat(e.getSQLState()).isEqualTo(UNDEFINED_TABLE);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aClientThatFailsEndsTheRunWithAMessage() throws Exception {
        CompletableFuture<Result> running =
                CompletableFuture.supplyAsync(() -> DemoProgram.run(demo.lasting(Duration.ofMinutes(10))));
        demo.awaitTransfers();

        demo.query("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                + " where application_name = 'rowlock-demo' and query not like 'vacuum%'");

        Result result = running.get(1, TimeUnit.MINUTES);
        assertThat(result.status()).isNotZero();
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).startsWith("Rowlock demo: ");
    }

    @Test
    void isOverAndGoneWhenToldToStop() throws Exception {
        DemoSettings settings = demo.settings();
        Process program = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "-Drowlock.url=" + settings.url(),
                        "-Drowlock.user=" + settings.user(),
                        "-Drowlock.password=" + settings.password(),
                        "-Drowlock.demo.seconds=600",
                        "-Drowlock.demo.clients=8",
                        TransferDemo.class.getName())
                .redirectErrorStream(true)
                .start();
        try {
            demo.awaitTransfers();

            // Not Process.destroy(), which also closes the stream with what it says.
            assertThat(program.toHandle().destroy()).isTrue();

            assertThat(program.waitFor(1, TimeUnit.MINUTES)).as("it ends").isTrue();
            assertThat(program.exitValue()).isNotZero();
            assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("Told to stop", "Nothing is left behind")
                    .doesNotContain("Rowlock demo:", "Exception");
        } finally {
            program.destroyForcibly();
        }
    }
}
