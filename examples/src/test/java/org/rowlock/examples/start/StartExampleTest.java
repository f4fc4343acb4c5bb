package org.rowlock.examples.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

@Tag("long")
class StartExampleTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final StartExample program = new StartExample(printing(out), printing(err));

    private static PrintStream printing(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    static Stream<Example> examples() {
        return Stream.of(new TransferExample(), new QueueExample(), new SeatsExample(), new HotRowExample());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleRuns(Example example) {
        int status = program.run(example, database.dataSource());

        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith(example.title())
                .containsAnyOf(
                        "The sum is still 3000",
                        "All 1000 jobs are done, each exactly once",
                        "1E goes to guest",
                        "every payment has its entry");
    }

    @Test
    void startsAServerOfItsOwn() {
        assertThat(program.run("seats")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("embedded PostgreSQL", "1E goes to guest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "seat"})
    void namesTheExamplesWhereNoneIsNamed(String name) {
        assertThat(program.run(name)).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(
                        name.isEmpty() ? "No example" : "called seat.",
                        "./rowlock example",
                        "hot-row",
                        "queue",
                        "seats",
                        "transfer");
    }

    @Test
    void failsLoudly() {
        Example broken = new Example() {
            @Override
            public String title() {
                return "Broken";
            }

            @Override
            public List<String> tables() {
                return List.of();
            }

            @Override
            public List<String> run(DataSource dataSource) throws Exception {
                return Threads.query(threads(), thread -> {
                    throw new IllegalStateException("money is gone");
                });
            }
        };

        assertThat(program.run(broken, database.dataSource())).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("money is gone");
    }
}
