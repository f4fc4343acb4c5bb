package org.rowlock.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.UserError;
import picocli.CommandLine;

/** Checks the command line of the doctor. */
class DoctorCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void itLooksAndPrints() {
        assertThat(doctor("--seconds", "1")).isZero();
        assertThat(out.toString())
                .contains("PostgreSQL")
                .contains("sample")
                .contains("Per second:")
                .doesNotContain("\nNot seen:\n");
        assertThat(err.toString()).contains("Nothing is changed there");
    }

    @Test
    void jsonAloneAndDetailsAreForTheAsking() {
        assertThat(doctor("--seconds", "1", "--json")).isZero();
        assertThat(JsonParser.parseString(out.toString()).getAsJsonObject().has("advice"))
                .isTrue();
        out.getBuffer().setLength(0);
        assertThat(doctor("--seconds", "1", "--details")).isZero();
        assertThat(out.toString()).contains("\nNot seen:\n");
    }

    @Test
    void anEarlierDiagnosisIsComparedWithAndAPageIsWritten(@TempDir Path directory) throws Exception {
        assertThat(doctor("--seconds", "1", "--json")).isZero();
        Path before = Files.writeString(directory.resolve("before.json"), out.toString());
        out.getBuffer().setLength(0);
        Path page = directory.resolve("page.html");
        assertThat(doctor("--seconds", "1", "--compare", before.toString(), "--html", page.toString()))
                .isZero();
        assertThat(out.toString())
                .containsPattern("Since 20\\d\\d-.*:")
                .containsPattern("average number of sessions that wait for a row: \\S+ -> \\S+");
        assertThat(page).content().contains("<!DOCTYPE html>", "WAL a second").doesNotContain("<script");
        Files.writeString(before, "{}");
        assertThat(doctor("--compare", before.toString())).isEqualTo(CommandLine.ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("has no diagnosis", "doctor --json");
    }

    @Test
    void waitsAreWatchedUntilTheTimeHasPassed() throws Exception {
        assertThat(doctor("--seconds", "1", "--watch")).isZero();
        assertThat(out.toString()).contains("for a lock.");
        out.getBuffer().setLength(0);
        assertThat(doctor("--seconds", "1", "--watch", "--json")).isZero();
        assertThat(out.toString().lines())
                .allSatisfy(line -> assertThat(
                                JsonParser.parseString(line).getAsJsonObject().has("sessions"))
                        .isTrue());
        assertThat(doctor("--watch", "--details")).isEqualTo(CommandLine.ExitCode.USAGE);
    }

    @Test
    void whatCannotBeIsRefusedBeforeLooking() {
        assertThat(doctor("--seconds", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--seconds");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aServerThatIsNotThereIsAFailureOfWhichThePasswordIsNoPart() {
        assertThat(doctor("--url", "jdbc:postgresql://localhost:1/app?password=secret"))
                .isEqualTo(CommandLine.ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("localhost:1/app").doesNotContain("secret");
    }

    /** Otherwise {@code --json > file} would not be JSON. */
    @Test
    void thePromptForThePasswordIsNoPartOfTheOutput() {
        InputStream in = System.in;
        PrintStream console = System.out;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setIn(new ByteArrayInputStream("secret\n".getBytes(UTF_8)));
        System.setOut(new PrintStream(written, true, UTF_8));
        try {
            assertThat(doctor("--seconds", "1", "--json", "--password")).isZero();
        } finally {
            System.setIn(in);
            System.setOut(console);
        }
        assertThat(written.toString(UTF_8)).isEmpty();
        assertThat(err.toString()).startsWith("Password").doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://me:topsecret@localhost:1/app",
                "jdbc:postgresql://localhost:1/app;password=topsecret",
                "jdbc:postgresql://localhost:1/app&user=me&password=topsecret",
            })
    void aPasswordInTheWrongPlaceIsRefusedAndNotShown(String url) {
        assertThat(doctor("--url", url)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).startsWith("--url: ").doesNotContain("topsecret");
        assertThat(out.toString()).isEmpty();
    }

    private int doctor(String... options) {
        TestPostgres server = TestPostgres.shared();
        CommandLine command = new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler((failure, self, parsed) -> {
                    assertThat(failure).isInstanceOf(UserError.class);
                    self.getErr().println(failure.getMessage());
                    return 1;
                });
        List<String> all = new ArrayList<>(List.of("--user", server.user()));
        if (!List.of(options).contains("--url")) {
            all.addAll(List.of("--url", server.url()));
        }
        all.addAll(List.of(options));
        return command.execute(all.toArray(String[]::new));
    }
}
