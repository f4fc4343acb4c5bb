package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;

/** Counters that many threads read, add to and write in REPEATABLE READ and SERIALIZABLE: no addition is lost. */
@Tag("long")
class HandoverLostUpdateTest {
    private static final int THREADS = 8;
    private static final int ADDITIONS = 60;
    private static final int COUNTERS = 3;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table counter(id int primary key, value bigint not null default 0)",
            "insert into counter select g from generate_series(1, " + COUNTERS + ") g");

    private final RowLocks locks =
            RowLocks.builder().strategy(LockStrategy.ADVISORY).build();

    @Test
    void repeatableReadNeverEvenHasToRetry() throws Exception {
        assertThat(run("TRANSACTION_REPEATABLE_READ")).isZero();
    }

    /** SERIALIZABLE may refuse for the sake of other rows on the page, so it retries, as always. */
    @Test
    void serializableLosesNothing() throws Exception {
        assertThat(run("TRANSACTION_SERIALIZABLE")).isNotNegative();
    }

    /** Gives the number of serialization failures. */
    private int run(String isolation) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        int failures = 0;
        try (HikariDataSource pool = pool(isolation)) {
            List<Future<Integer>> runs = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(thread);
                runs.add(threads.submit(() -> {
                    int failed = 0;
                    for (int i = 0; i < ADDITIONS; i++) {
                        failed += addOne(pool, 1 + random.nextInt(COUNTERS));
                    }
                    return failed;
                }));
            }
            for (Future<Integer> run : runs) {
                failures += run.get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.query("select sum(value) from counter")).isEqualTo(String.valueOf(THREADS * ADDITIONS));
        return failures;
    }

    private int addOne(HikariDataSource pool, int id) throws SQLException {
        for (int failures = 0; ; failures++) {
            try (Connection connection = pool.getConnection()) {
                try {
                    long value = locks.in(connection)
                            .lockAndQuery(
                                    forUpdate(LockKey.row("counter", id)),
                                    LockedQuery.of("select value from counter where id = ?", row -> row.getLong(1), id))
                            .get(0);
                    try (PreparedStatement update =
                            connection.prepareStatement("update counter set value = ? where id = ?")) {
                        update.setLong(1, value + 1);
                        update.setInt(2, id);
                        update.executeUpdate();
                    }
                    connection.commit();
                    return failures;
                } catch (SQLException e) {
                    connection.rollback();
                    if (!"40001".equals(e.getSQLState())) {
                        throw e;
                    }
                } catch (LockSerializationException e) {
                    connection.rollback();
                }
            }
        }
    }

    private HikariDataSource pool(String isolation) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(THREADS);
        config.setAutoCommit(false);
        config.setTransactionIsolation(isolation);
        return new HikariDataSource(config);
    }
}
