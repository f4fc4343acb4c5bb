package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.testing.TestDatabase;

/**
 * Hibernate's flush with the COMMIT stores and tells what it stores and tells without Rowlock, for random graphs of
 * entities and random faults.
 */
class FlushProgramTest {
    private static final int SEEDS = 12;

    /** HikariCP's setting of how long a connection is idle before it is checked, in milliseconds. */
    private static final String NOT_CHECKED = "com.zaxxer.hikari.aliveBypassWindowMs";

    private static final String[] SET_UP = {
        "alter table plain add check (first >= 0)",
        "alter table item add check (price >= 0) not valid",
        "create or replace function audit() returns trigger language plpgsql as"
                + " 'begin if new.number % 3 = 0 then return null; end if;"
                + " new.number := new.number + 1; return new; end'",
        "create trigger audit before update on audited for each row execute function audit()"
    };

    private static final List<String> TABLES = List.of(
            "owner",
            "owner_tags",
            "owner_numbers",
            "item",
            "plain",
            "base",
            "derived",
            "counter",
            "badge",
            "badge_text",
            "audited",
            "hidden");

    @RegisterExtension
    final TestDatabase plain = new TestDatabase();

    @RegisterExtension
    final TestDatabase keeping = new TestDatabase();

    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void storesAndTellsTheSame(int batch) throws Exception {
        run(batch, SEEDS);
    }

    @Tag("long")
    @Test
    void storesAndTellsTheSameOfMany() throws Exception {
        for (int batch : List.of(0, 2, 20)) {
            run(batch, 100);
        }
    }

    private void run(int batch, int seeds) throws Exception {
        Random random = new Random();
        try (HikariDataSource without = pool(impatient(plain));
                RowlockDataSource wrapped = RowlockDataSource.builder(impatient(keeping))
                        .flushWithCommit(true)
                        .build();
                HikariDataSource with = pool(wrapped);
                SessionFactory first = FlushProgram.factory(without, batch);
                SessionFactory second = FlushProgram.factory(with, batch)) {
            plain.execute(SET_UP);
            keeping.execute(SET_UP);
            int committed = 0;
            Set<String> kinds = new TreeSet<>();
            for (int i = 0; i < seeds; i++) {
                long seed = random.nextLong();
                List<String> expected = outcome(first, plain, false, seed);
                assertThat(outcome(second, keeping, true, seed))
                        .as("seed %d, batches of %d", seed, batch)
                        .isEqualTo(expected);
                committed += (int) expected.stream().filter("committed"::equals).count();
                expected.forEach(each -> kinds.add(kind(each)));
            }
            assertThat(kinds).contains("stale", "constraint", "deadlock", "killed", "rolled back");
            assertThat(committed).isGreaterThan(seeds);
            assertThat(wrapped.control().getFigures().values().stream()
                            .mapToLong(each -> each.get("kept"))
                            .sum())
                    .isGreaterThan(committed / 2);
        }
    }

    private static String kind(String told) {
        return switch (told) {
            case "40P01" -> "deadlock";
            case "57P01", "08006", "08003" -> "killed";
            default -> told.matches("23...") ? "constraint" : told;
        };
    }

    private static List<String> outcome(SessionFactory sessions, TestDatabase database, boolean keeps, long seed)
            throws Exception {
        database.execute("truncate " + String.join(", ", TABLES) + " restart identity");
        List<String> seen = new ArrayList<>(new FlushProgram(sessions, database, keeps, seed).run());
        for (String table : TABLES) {
            seen.add(table + " "
                    + database.query(
                            "select coalesce(string_agg(t::text, ' ' order by t::text), '') from " + table + " t"));
        }
        return seen;
    }

    /**
     * With a short wait for rows that the own thread has locked in another transaction, and a shorter one for a
     * deadlock to be found.
     */
    private static DataSource impatient(TestDatabase database) {
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setOptions("-c lock_timeout=50ms -c deadlock_timeout=5ms");
        return dataSource;
    }

    /**
     * Returns a pool that gives out a connection whose session the server has ended, however long it was idle. By
     * default, HikariCP looks after half a second, and one of the two programs gets a living connection instead.
     */
    private static HikariDataSource pool(DataSource dataSource) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setMaximumPoolSize(4);
        System.setProperty(NOT_CHECKED, Long.toString(Duration.ofHours(1).toMillis()));
        try {
            return new HikariDataSource(config);
        } finally {
            System.clearProperty(NOT_CHECKED);
        }
    }
}
