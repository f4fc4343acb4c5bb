package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/**
 * Hibernate's flush with the COMMIT stores and tells what it stores and tells without Rowlock, for random graphs of
 * entities and random faults.
 */
class FlushProgramTest {
    /** How many random programs the long form runs with each size of batches. */
    private static final String SEEDS = "rowlock.test.flush-seeds";

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

    /** Each comes about in the short run, too, because its seeds are always the same. */
    private static final String[] KINDS = {
        "committed", "stale", "constraint", "deadlock", "lock timeout", "timeout", "read only", "rolled back", "lost"
    };

    @RegisterExtension
    final TestDatabase plain = new TestDatabase();

    @RegisterExtension
    final TestDatabase keeping = new TestDatabase();

    private List<String> tables;

    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void storesAndTellsTheSame(int batch) throws Exception {
        run(batch, LongStream.rangeClosed(1, 12));
    }

    /** Runs the same seeds each time, or as many new ones as the property says, so that a failure in CI repeats. */
    @Tag("long")
    @Test
    void storesAndTellsTheSameOfMany() throws Exception {
        int drawn = Integer.getInteger(SEEDS, 0);
        for (int batch : drawn > 0 ? List.of(0, 2, 20) : List.of(2)) {
            run(batch, drawn > 0 ? new Random().longs(drawn) : LongStream.rangeClosed(1, 20));
        }
    }

    private void run(int batch, LongStream seeds) throws Exception {
        try (TcpProxy ownNetwork = TcpProxy.to(plain.dataSource());
                TcpProxy network = TcpProxy.to(keeping.dataSource());
                HikariDataSource without = pool(impatient(plain, ownNetwork));
                RowlockDataSource wrapped =
                        RowlockDataSource.wrap(impatient(keeping, network), "test", Map.of("flushWithCommit", "true"));
                HikariDataSource with = pool(wrapped);
                SessionFactory first = FlushProgram.factory(without, batch, "create", plain.schema());
                SessionFactory second = FlushProgram.factory(with, batch, "create", keeping.schema())) {
            tables = List.of(
                    plain.query("select string_agg(tablename, ' ') from pg_tables where schemaname = current_schema()")
                            .split(" "));
            for (TestDatabase database : List.of(plain, keeping)) {
                database.execute(SET_UP);
                // A vacuum that cuts off the end of a table locks it for a moment.
                database.execute(tables.stream()
                        .map(table -> "alter table " + table + " set (autovacuum_enabled = false)")
                        .toArray(String[]::new));
            }
            long committed = 0;
            Set<String> kinds = new TreeSet<>();
            for (long seed : seeds.toArray()) {
                List<String> expected = outcome(first, plain, ownNetwork, null, seed);
                assertThat(outcome(second, keeping, network, wrapped, seed))
                        .as("seed %d, batches of %d", seed, batch)
                        .isEqualTo(expected);
                committed += expected.stream().filter("committed"::equals).count();
                expected.forEach(each -> kinds.add(kind(each)));
            }
            assertThat(kinds).contains(KINDS);
            assertThat(wrapped.control().getFigures().values().stream()
                            .mapToLong(each -> each.get("kept"))
                            .sum())
                    .isGreaterThan(committed / 2);
        }
    }

    private static String kind(String told) {
        return switch (told) {
            case "40P01" -> "deadlock";
            case "55P03" -> "lock timeout";
            case "57014" -> "timeout";
            case "25006" -> "read only";
            default -> told.matches("23...") ? "constraint" : told;
        };
    }

    private List<String> outcome(
            SessionFactory sessions, TestDatabase database, TcpProxy network, DataSource dropIn, long seed)
            throws Exception {
        database.execute(
                "truncate " + String.join(", ", tables) + " restart identity", "alter sequence item_seq restart");
        sessions.getCache().evictAllRegions();
        List<String> seen = new ArrayList<>();
        try {
            seen.addAll(new FlushProgram(sessions, database, network, dropIn, seed).run());
        } catch (Exception e) {
            throw new AssertionError("seed " + seed + (dropIn == null ? ", without Rowlock" : ""), e);
        }
        seen.add(database.query(tables.stream()
                .map(table -> "select '" + table + "' as name, t::text as row from " + table + " t")
                .collect(Collectors.joining(
                        " union all ", "select string_agg(name || row, ' ' order by name, row) from (", ") x"))));
        return seen;
    }

    /**
     * With a short wait for rows that the own thread has locked in another transaction, and a shorter one for a
     * deadlock to be found.
     */
    private static DataSource impatient(TestDatabase database, TcpProxy network) throws IOException {
        PGSimpleDataSource dataSource = network.through(database.dataSource());
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
        config.setMaxLifetime(0);
        config.setKeepaliveTime(0);
        System.setProperty(NOT_CHECKED, Long.toString(Duration.ofHours(1).toMillis()));
        try {
            return new HikariDataSource(config);
        } finally {
            System.clearProperty(NOT_CHECKED);
        }
    }
}
