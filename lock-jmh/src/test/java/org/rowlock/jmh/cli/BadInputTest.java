package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.doctor.DoctorCommand;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerOptions;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Checks that every mistake leads to a message with advice and a status other than 0, and leaves nothing on the server.
 */
class BadInputTest {
    private static final String ROLE = "rowlock_bench_tester";
    private static final String PASSWORD = "correct";

    private final TestPostgres server = TestPostgres.shared();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @BeforeEach
    void makeRole() throws SQLException {
        server.execute(
                "drop schema if exists rowlock_bench cascade",
                "drop role if exists " + ROLE,
                "create role " + ROLE + " login password '" + PASSWORD + "'");
    }

    @AfterEach
    void nothingIsLeft() throws SQLException {
        assertThat(server.query("select to_regnamespace('rowlock_bench') is null"))
                .as("no schema is left")
                .isEqualTo("t");
        server.execute("drop owned by " + ROLE, "drop role " + ROLE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--scenario , | --scenario was given without a value | leave",
                "--clients , | --clients was given without a value | leave",
                "--variant ; | --variant was given without a value | leave",
                "--scenario clients --variant ROW;;ADVISORY | no variant | list",
                "--scenario zipfan | There is no scenario 'zipfan' | zipfian",
                "--variant rows;row | These scenarios have no variant 'rows' | list NAME",
                "--scenario doors --variant lack | The scenario doors has no variant to compare | list doors",
                "--clients 0 | 0 | --clients",
                "--clients many | many | --clients",
                "--seconds 0 | 0 | --seconds",
                "--rounds -1 | -1 | --rounds",
                "--zipf no --scenario zipfian | no | --zipf",
                "--scenario pool --clients 4 | --clients has no effect | share",
                "--scenario pool --point none | has none of the points | 300 hot threads",
                "--rtt 0.5 | 0.5 | 0.5ms",
                "--url http://localhost/x | URL | jdbc:postgresql://",
                "--standby --url jdbc:postgresql://localhost/x | --standby adds a standby to an embedded server | Leave out",
                "--standby=fast | fast | 0.5ms",
                "--scenario lock-loss --url jdbc:postgresql://localhost/x | The scenario lock-loss kills the server | Leave out --url",
                "--sql lock.sql | --sql needs the server that has your table | --url",
                "--from doctor.json | --from needs the server that has your table | --url",
                "--keys ids --url jdbc:postgresql://localhost/x | --keys needs a statement of yours | --sql",
                "--sql lock.sql --hottest 0 --url jdbc:postgresql://localhost/x | --hottest 0.0 is out of range | such as 5",
                "--colour | --colour | --help"
            })
    void wrongUsageIsRefusedBeforeAnythingRuns(String arguments, String what, String advice) {
        int status = compare(arguments.trim().split(" "));
        assertThat(err.toString()).contains(what.trim()).contains(advice.trim()).doesNotContain("\tat ");
        assertThat(status).isIn(1, 2);
        assertThat(out.toString()).doesNotContain("[1/");
    }

    @Test
    void aReportThatIsAFileIsRefused() throws Exception {
        Path file = Files.createFile(directory.resolve("taken"));
        assertThat(compare("--report", file.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("--report").contains("is a file");
    }

    @Test
    void aReportThatIsThereIsNotOverwritten() throws Exception {
        Files.writeString(directory.resolve("report.html"), "somebody's");
        assertThat(compare("--report", directory.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("a report exists").contains("another directory");
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "no device elsewhere is always full")
    void aDiskWithoutRoomForTheReportIsSaidBehindWhatWasFound() throws Exception {
        Files.createSymbolicLink(directory.resolve("results.json"), Path.of("/dev/full"));
        assertThat(compare(
                        "--scenario=doors",
                        "--variant=lock",
                        "--point=90 clients",
                        "--clients=1",
                        "--rtt=0",
                        "--rounds=1",
                        "--seconds=1",
                        "--report",
                        directory.toString(),
                        "--url=" + server.url(),
                        "--user=" + server.user(),
                        "--password=" + server.password()))
                .isEqualTo(1);
        assertThat(out.toString()).contains("by hand");
        assertThat(err.toString()).contains("The report cannot be written to", "No space left", "Make room there");
    }

    @Test
    void aServerThatDoesNotAnswerIsNamed() {
        assertThat(compare("--url", "jdbc:postgresql://localhost:1/postgres")).isEqualTo(1);
        assertThat(err.toString()).contains("localhost:1").doesNotContain("\tat ");
    }

    @Test
    void aMissingDatabaseIsNamed() {
        String url = server.url().replaceFirst("/[^/?]+(\\?|$)", "/no_such_database$1");
        assertThat(compare("--url", url, "--user", ROLE, "--password=" + PASSWORD))
                .isEqualTo(1);
        assertThat(err.toString()).contains("no_such_database");
    }

    @Test
    void aRoleThatMayNotCreateASchemaIsToldWhichGrantHelps() {
        assertThat(compareAsRole()).isEqualTo(1);
        assertThat(err.toString()).contains("grant create on database").contains(ROLE);
    }

    @Test
    void aSchemaThatExistsIsLeftAlone() throws SQLException {
        server.execute("create schema rowlock_bench authorization " + ROLE);
        assertThat(compareAsRole()).isEqualTo(1);
        assertThat(err.toString()).contains("schema rowlock_bench").contains("drop schema rowlock_bench cascade");
        // The schema still exists, so the statement succeeds.
        server.execute("drop schema rowlock_bench");
    }

    @Test
    void aSchemaThatAnotherRunWorksInIsNotToBeDropped() throws SQLException {
        server.execute(
                "create schema rowlock_bench authorization " + ROLE,
                "comment on schema rowlock_bench is 'Rowlock benchmark, run 4711'");
        PGSimpleDataSource other = server.dataSource();
        other.setApplicationName("rowlock-jmh 4711");
        try (Connection running = other.getConnection()) {
            assertThat(running.isValid(10)).isTrue();
            assertThat(compareAsRole()).isEqualTo(1);
        }
        assertThat(err.toString()).contains("another run uses it").doesNotContain("drop schema");
        server.execute("drop schema rowlock_bench");
    }

    @Test
    void moreLocksThanTheServerHasRoomForAreToldWithTheSetting() throws SQLException {
        grantCreate();
        assertThat(compareAsRole("--scenario", "many-keys,share", "--clients", "90"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("90,000 entries of the lock table").contains("max_locks_per_transaction");
    }

    @Test
    void whatAKilledRunHasLeftIsRemoved() throws SQLException {
        grantCreate();
        server.execute(
                "create schema rowlock_bench authorization " + ROLE,
                "comment on schema rowlock_bench is 'Rowlock benchmark, run 4711'");
        assertThat(compareAsRole("--scenario", "many-keys,share", "--clients", "90"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("entries of the lock table").doesNotContain("drop schema");
    }

    @Test
    void aReadOnlyRoleIsRefused() throws SQLException {
        grantCreate();
        server.execute("alter role " + ROLE + " set default_transaction_read_only = on");
        assertThat(compareAsRole()).isEqualTo(1);
        assertThat(err.toString()).contains("read-only");
    }

    @Test
    void tooFewConnectionsAreToldWithTheSettingAndBothNumbers() throws SQLException {
        grantCreate();
        server.execute("alter role " + ROLE + " connection limit 20");
        assertThat(compareAsRole("--scenario", "clients", "--clients", "64")).isEqualTo(1);
        assertThat(err.toString()).contains("20").contains("connection limit");
    }

    @ParameterizedTest
    @CsvSource({"comapre, compare", "--url=x, --url"})
    void aMistypedCommandGetsAnAnswer(String given, String said) {
        assertThat(Program.takes(given)).isTrue();
        assertThat(run(given)).isEqualTo(2);
        assertThat(err.toString()).contains(given).contains(said).contains("--help");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Zipfian", "-prof", "-h", ".*bench.Keys.*"})
    void whatIsForJmhGoesThere(String given) {
        assertThat(Program.takes(given)).isFalse();
    }

    @Test
    void noReportShowsThePassword() {
        CommandSpec parsed = DoctorCommand.commandLine(new Program())
                .parseArgs(
                        "compare", "--url", "jdbc:postgresql://db/app?password=in-url&ssl=true", "--password=in-option")
                .subcommand()
                .commandSpec();
        assertThat(Program.given(parsed, new ServerOptions()))
                .startsWith("java -jar benchmarks.jar compare")
                .contains("--password", "ssl=true")
                .doesNotContain("in-url", "in-option");
    }

    private void grantCreate() throws SQLException {
        String name = server.query("select quote_ident(current_database())");
        server.execute("grant create on database " + name + " to " + ROLE);
    }

    private int compareAsRole(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("--url", server.url().replaceFirst("\\?.*", ""), "--user", ROLE, "--password=" + PASSWORD));
        arguments.addAll(List.of(more));
        return compare(arguments.toArray(String[]::new));
    }

    private int compare(String... arguments) {
        List<String> all = new ArrayList<>(List.of("compare", "--yes"));
        all.addAll(List.of(arguments));
        if (!all.contains("--report")) {
            all.addAll(List.of("--report", directory.resolve("report").toString()));
        }
        return run(all.toArray(String[]::new));
    }

    private int run(String... arguments) {
        return Program.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }
}
