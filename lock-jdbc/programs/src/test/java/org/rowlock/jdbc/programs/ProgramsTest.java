package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.jdbc.OneAtATime;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.corpus.Corpus;
import org.rowlock.jdbc.programs.springdata.SpringDataJdbcProgram;
import org.rowlock.jdbc.programs.springdata.SpringDataProgram;
import org.rowlock.testing.TestDatabase;

/** Programs that know nothing of Rowlock have the same outcome with it and without. */
class ProgramsTest {
    /** The size of the pool: more than the threads of any program, so that none waits for a connection. */
    private static final int CONNECTIONS = 24;

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    /** Returns the programs that send the same statements in every run. */
    static List<Program> steadyPrograms() {
        return List.of(
                new HibernateProgram(),
                new SpringDataProgram(),
                new SpringDataJdbcProgram(),
                new JooqProgram(),
                new MyBatisProgram());
    }

    static List<Program> programs() {
        List<Program> programs = new ArrayList<>(steadyPrograms());
        programs.addAll(List.of(
                new QuartzProgram(), new SpringProjectsProgram(), new SchedulersProgram(), new MigrationsProgram()));
        return programs;
    }

    @ParameterizedTest
    @MethodSource("programs")
    void doesTheSameWithAndWithout(Program program) throws Exception {
        List<String> without = inSchema(schema -> {
            try (HikariDataSource pool = pool(schema)) {
                return program.run(pool);
            }
        });
        List<String> wrapped = inSchema(schema -> {
            try (RowlockDataSource wrapper = RowlockDataSource.wrap(schema);
                    HikariDataSource pool = pool(wrapper)) {
                List<String> out = program.run(pool);
                assertThat(figure(wrapper, "recognised")).isPositive();
                return out;
            }
        });
        List<String> queueing = oneAtATime(program, LockFront.NEVER);
        List<String> fronted = oneAtATime(program, LockFront.ALWAYS);

        assertThat(wrapped).as("a pool of wrapped connections").isEqualTo(without);
        assertThat(queueing).as("a wrapped pool, one at a time").isEqualTo(without);
        assertThat(fronted).as("the same with the lock in front").isEqualTo(without);
    }

    private List<String> oneAtATime(Program program, LockFront front) throws Exception {
        return inSchema(schema -> {
            try (HikariDataSource pool = pool(schema);
                    RowlockDataSource wrapper = OneAtATime.wrap(pool, front)) {
                List<String> out = program.run(wrapper);
                assertThat(figure(wrapper, "recognised")).isPositive();
                // Flyway and Liquibase lock after reads and session locks, and schedulers lock with conditions beyond
                // the key.
                if (front == LockFront.ALWAYS
                        && !(program instanceof MigrationsProgram)
                        && !(program instanceof SchedulersProgram)) {
                    assertThat(figure(wrapper, "fronted")).isPositive();
                }
                assertThat(wrapper.control().getQueued()).isZero();
                return out;
            }
        });
    }

    private static long figure(RowlockDataSource wrapper, String name) {
        return wrapper.control().getFigures().values().stream()
                .mapToLong(figures -> figures.getOrDefault(name, 0L))
                .sum();
    }

    @ParameterizedTest
    @MethodSource("steadyPrograms")
    void sendsOnlyWhatTheCorpusHas(Program program) throws Exception {
        Set<String> corpus = Corpus.entries().stream()
                .map(entry -> Recording.withoutLineEnds(entry.sql()))
                .collect(Collectors.toSet());
        Recording recording = new Recording();
        inSchema(schema -> {
            try (HikariDataSource pool = pool(schema)) {
                return program.run(recording.around(pool));
            }
        });

        assertThat(recording.statements()).isNotEmpty().isSubsetOf(corpus);
    }

    private interface Run {
        List<String> in(DataSource schema) throws Exception;
    }

    /**
     * Runs a program in a schema of its own, and drops that schema, because some programs find the tables of other
     * schemas.
     */
    private List<String> inSchema(Run run) throws Exception {
        String schema = database.schema() + "_run";
        database.execute("create schema " + schema);
        try {
            PGSimpleDataSource dataSource = database.dataSource();
            dataSource.setCurrentSchema(schema);
            return run.in(dataSource);
        } finally {
            database.execute("drop schema " + schema + " cascade");
        }
    }

    private static HikariDataSource pool(DataSource dataSource) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }
}
