package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.testing.ClientProgram;
import org.rowlock.testing.TestDatabase;

/** Checks that a DBA can run each probe unchanged. */
class ProbesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table account (id int primary key)");

    @ParameterizedTest
    @EnumSource(value = ServerQuery.class, names = "STATEMENTS", mode = EnumSource.Mode.EXCLUDE)
    void aProbeRunsInPsql(ServerQuery probe) throws Exception {
        String file = "src/main/resources/org/rowlock/doctor/" + probe.name().toLowerCase() + ".sql";
        String output = ClientProgram.run(database.dataSource(), "psql", "-X", "-v", "ON_ERROR_STOP=1", "-f", file);
        assertThat(output).containsPattern("\\(\\d+ rows?\\)");
    }
}
