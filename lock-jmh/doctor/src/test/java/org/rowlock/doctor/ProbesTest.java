package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** Checks that a DBA can run each probe unchanged. */
class ProbesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table account (id int primary key)");

    @ParameterizedTest
    @EnumSource(value = ServerQuery.class, names = "STATEMENTS", mode = EnumSource.Mode.EXCLUDE)
    void aProbeRunsInPsql(ServerQuery probe) throws Exception {
        Assumptions.assumeTrue(hasPsql(), "psql is not installed");
        PGSimpleDataSource server = TestPostgres.shared().dataSource();
        ProcessBuilder psql = new ProcessBuilder(
                        "psql",
                        "-X",
                        "-v",
                        "ON_ERROR_STOP=1",
                        "-h",
                        server.getServerNames()[0],
                        "-p",
                        Integer.toString(server.getPortNumbers()[0]),
                        "-U",
                        TestPostgres.shared().user(),
                        "-d",
                        server.getDatabaseName(),
                        "-f",
                        "src/main/resources/org/rowlock/doctor/" + probe.name().toLowerCase() + ".sql")
                .redirectErrorStream(true);
        psql.environment().put("PGPASSWORD", TestPostgres.shared().password());
        Process process = psql.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).containsPattern("\\(\\d+ rows?\\)");
    }

    private static boolean hasPsql() throws InterruptedException {
        try {
            return new ProcessBuilder("psql", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
