package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.FlushFailuresTest.Failure;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;

/**
 * A random Spring application stores the same rows, and is told the same, with {@code @RowLock} and Hibernate's flush
 * in the COMMIT as with JPA's own locks and without Rowlock.
 *
 * <p>The test compares, for each transaction: what the application has read, the counts of its own SQL, the outcome,
 * the parts of the exception that {@link Failure} names, the status in {@code afterCompletion}, Hibernate's counts, and
 * whether a second client could change a row. At the end it compares all rows. The test does not compare: waits,
 * locks in read-only transactions, and locks of absent rows that are required, because Rowlock names these errors
 * itself. In a batch, Hibernate names no stale entity, and the names are not compared.
 */
class RandomServicesTest {
    /** How many random programs the long form runs with each size of batches. */
    private static final String SEEDS = "rowlock.test.service-seeds";

    /** The outcomes that occur in the short run, because its seeds are always the same. */
    private static final String[] OUTCOMES = {
        "committed .*",
        "rolled back",
        "REQUIRED done",
        "REQUIRES_NEW done",
        "REQUIRES_NEW failed .*",
        "other 1",
        "other 55P03",
        "stale .*ObjectOptimisticLockingFailureException.*",
        "failed .*IllegalStateException.*",
        "failed .*UnexpectedRollbackException.*",
        "failed .*DuplicateKeyException.*", // deferred
        "failed .*23503.*", // deferred
        "failed .*23505, isDrivers=true, constraint=item_name_key.*",
        "failed .*23514.*"
    };

    /** The tables whose rows are compared. */
    private static final String[] COMPARED = {
        "item", "note", "slot", "main", "part", "owner", "owner_words", "line", "counter", "audited"
    };

    @RegisterExtension
    final TestDatabase plain = database();

    @RegisterExtension
    final TestDatabase keeping = database();

    static TestDatabase database(String... more) {
        return new TestDatabase(Stream.of(FlushFailuresTest.TABLES, RandomServices.TABLES, more)
                .flatMap(Stream::of)
                .toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void storesAndIsToldTheSame(int batch) throws Exception {
        run(batch, LongStream.rangeClosed(1, 10));
    }

    /** Runs the same seeds each time, or as many new ones as the property says, so that a failure in CI repeats. */
    @Tag("long")
    @Test
    void storesAndIsToldTheSameOfMany() throws Exception {
        int drawn = Integer.getInteger(SEEDS, 0);
        for (int batch : new int[] {0, 2, 20}) {
            run(batch, drawn > 0 ? new Random().longs(drawn) : LongStream.rangeClosed(101, 130));
        }
    }

    private void run(int batch, LongStream seeds) throws Exception {
        RowlockDataSource dropIn =
                keeping.closing(RowlockDataSource.wrap(pool(keeping), "keeping", Map.of("flushWithCommit", "true")));
        RandomServices byHand = services(plain, pool(plain), batch, JpaTransactions.WithoutLocks.class);
        RandomServices byAnnotation =
                services(keeping, dropIn, batch, JpaTransactions.class, RandomServices.Services.class);
        List<String> all = new ArrayList<>();
        for (long seed : seeds.toArray()) {
            List<String> expected = told(byHand, plain, seed);
            assertThat(told(byAnnotation, keeping, seed))
                    .as("seed %d, batches of %d", seed, batch)
                    .isEqualTo(expected);
            all.addAll(expected);
        }
        assertThat(OUTCOMES).allSatisfy(outcome -> assertThat(all).anyMatch(each -> each.matches(outcome)));
        long kept = dropIn.control().getFigures().values().stream()
                .mapToLong(table -> table.getOrDefault("kept", 0L))
                .sum();
        assertThat(kept)
                .isGreaterThan(all.stream()
                                .filter(each -> each.startsWith("committed"))
                                .count()
                        / 2);
    }

    private static RandomServices services(
            TestDatabase database, DataSource dataSource, int batch, Class<?>... components) {
        Map<String, Object> properties =
                Map.of("hibernate.jdbc.batch_size", batch, "hibernate.generate_statistics", true);
        TestContext context = RowLockTests.start(
                database,
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, () -> dataSource);
                    beans.registerBean(Unit.class, () -> new Unit(properties, RandomServices.ENTITIES));
                },
                components);
        return new RandomServices(context, database, batch > 0);
    }

    private static List<String> told(RandomServices services, TestDatabase database, long seed) throws Exception {
        database.execute(
                "truncate " + String.join(", ", COMPARED) + " restart identity cascade",
                "insert into item (id, version, name, amount) select i, 1, 'name ' || i, i from generate_series(1, 3) i",
                "insert into note select i, 'first' from generate_series(1, 3) i",
                "insert into slot select 'state BLOCKED', i, now(), 'first' from generate_series(1, 7) i",
                "insert into main select i, 1, 'first' from generate_series(1, 3) i",
                "insert into part select i, 'first' from generate_series(2, 3) i",
                "insert into owner select i, 1, i from generate_series(1, 3) i",
                "insert into audited select i, i from generate_series(1, 3) i");
        List<String> told = new ArrayList<>(services.run(seed));
        // The version of a slot is a time.
        told.add(database.query(Stream.of(COMPARED)
                .map(table -> "select '" + table + " ' || " + (table.equals("slot") ? "row(number, text)" : "t")
                        + "::text as row from " + table + " t")
                .collect(Collectors.joining(
                        " union all ", "select string_agg(row, ' ' order by row) from (", ") stored"))));
        return told;
    }

    /** Returns a pool whose transactions wait only briefly for rows that the same thread has locked. */
    private static HikariDataSource pool(TestDatabase database) {
        return database.closing(Contexts.pool(impatient(database)));
    }

    static PGSimpleDataSource impatient(TestDatabase database) {
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setOptions("-c lock_timeout=50ms");
        return dataSource;
    }
}
