package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

class DemoTest {
    private static final int LINES = 250;

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    private static String output = "";

    private static int run(String url, String... options) throws Exception {
        return run(20, url, options);
    }

    private static int run(int millis, String url, String... options) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of("-Drowlock.demo.millis=" + millis, "-Drowlock.url=" + url, Demo.class.getName()));
        command.addAll(List.of(options));
        Process demo = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return demo.waitFor();
    }

    private static String url() {
        TestPostgres server = TestPostgres.shared();
        return server.dataSource().getUrl()
                + (server.user() == null ? "" : "&user=" + server.user() + "&password=" + server.password());
    }

    private String schemas() throws Exception {
        return database.query("select count(*) from pg_namespace where nspname = 'rowlock_demo'");
    }

    @Test
    void comparesTheWaysAndKeepsTheMoneyRight() throws Exception {
        assertThat(run(url(), "--rtt", "0.5ms")).as(output).isZero();

        List<String> table =
                output.lines().filter(line -> line.endsWith("right")).toList();
        assertThat(table).hasSize(12);
        assertThat(output)
                .contains("network of 0.5 ms", "On one row: Rowlock's default has ")
                .doesNotContain("WRONG");
        assertThat(schemas()).isEqualTo("0");
    }

    @Test
    void leavesASchemaOfItsOwnerAlone() throws Exception {
        database.execute("create schema rowlock_demo");
        try {
            assertThat(run(url())).isEqualTo(1);

            assertThat(output).contains("The demo failed: ERROR: schema \"rowlock_demo\" already exists");
            assertThat(schemas()).isEqualTo("1");
        } finally {
            database.execute("drop schema rowlock_demo");
        }
    }

    @Test
    void refusesAnUnknownOption() throws Exception {
        assertThat(run(url(), "--fast")).isEqualTo(1);

        assertThat(output).contains("The only option is --rtt");

        assertThat(run(-1, url())).isEqualTo(1);

        assertThat(output).contains("-Drowlock.demo.millis needs a number of milliseconds");
    }

    @Test
    void canBeReadInOneSitting() throws IOException {
        assertThat(Files.readAllLines(Path.of("src/main/java/org/rowlock/examples/Demo.java")))
                .hasSizeLessThanOrEqualTo(LINES);
    }
}
