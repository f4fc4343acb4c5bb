package org.rowlock.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.testing.Refusals.retryable;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.rowlock.LockVerificationException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Wire;

/**
 * Sessions end while verify() looks, at every step of it: sound servers are never refused for that, and others still
 * are.
 */
@Tag("long")
class VerifySwitchoverTest {
    private static final long SEED = 4711;
    private static final int RANDOM_MOMENTS = 6;

    /** More than it takes to come to the second pair. */
    private static final int FIRST_STEPS = 40;

    private static TestPostgres first;

    @AutoClose("stop")
    private static TestPostgres second;

    /** Which sessions the server ends. */
    enum Lost {
        /** Of the connection that was made first of those that are there, which holds the locks that others try. */
        OLDEST,
        NEWEST,
        /** All, and from then on connections lead to another server. */
        ALL
    }

    /** Ends sessions before one step: a statement, or a connection that is made. */
    private static final class Switchover {
        private final List<Integer> pids = new ArrayList<>();
        private final Lost lost;
        private final int at;
        private int steps;
        private TestPostgres current = first;

        Switchover(Lost lost, int at) {
            this.lost = lost;
            this.at = at;
        }

        DataSource dataSource() {
            return TestDataSource.of(() -> {
                step();
                Connection connection = current.dataSource().getConnection();
                pids.add(connection.unwrap(PGConnection.class).getBackendPID());
                return Wire.tap(connection, new Wire.Tap() {
                    @Override
                    public void before(int number, String sql) throws SQLException {
                        step();
                    }
                });
            });
        }

        private void step() throws SQLException {
            if (++steps != at || pids.isEmpty()) {
                return;
            }
            // Two at a time.
            List<Integer> there = pids.subList((pids.size() - 1) / 2 * 2, pids.size());
            List<Integer> ended = switch (lost) {
                case OLDEST -> there.subList(0, 1);
                case NEWEST -> there.subList(there.size() - 1, there.size());
                case ALL -> there;
            };
            for (int pid : ended) {
                // Waits until it has ended.
                current.execute("select pg_terminate_backend(" + pid + ", 60000)");
            }
            if (lost == Lost.ALL) {
                current = second;
            }
        }
    }

    @BeforeAll
    static void start() {
        first = TestPostgres.shared();
        second = TestPostgres.embedded(Map.of());
    }

    private static int steps() {
        Switchover none = new Switchover(Lost.ALL, 0);
        LockAccess.of(LockAccess.builder().build()).verify(none.dataSource(), 2);
        return none.steps;
    }

    /** The first steps for the holder's session, and random ones. */
    private static Stream<Integer> moments(Lost lost, Random random) {
        int all = steps();
        return Stream.concat(
                Stream.iterate(1, step -> step + 1).limit(lost == Lost.OLDEST ? FIRST_STEPS : 0),
                Stream.generate(() -> 1 + random.nextInt(all)).limit(RANDOM_MOMENTS));
    }

    @ParameterizedTest
    @EnumSource
    void aSoundServerIsNeverRefusedForGoodSinceSessionsEnd(Lost lost) {
        moments(lost, new Random(SEED)).forEach(at -> {
            Switchover switchover = new Switchover(lost, at);
            verifyAgainIfRetryable(switchover.dataSource());
            assertThat(switchover.steps).as("it came to step " + at).isGreaterThanOrEqualTo(at);
        });
    }

    /** As an application does that is not to fail at its start since a session has ended. */
    private static void verifyAgainIfRetryable(DataSource dataSource) {
        try {
            LockAccess.of(LockAccess.builder().build()).verify(dataSource, 2);
        } catch (LockVerificationException e) {
            if (!e.isRetryable()) {
                throw e;
            }
            LockAccess.of(LockAccess.builder().build()).verify(dataSource, 2);
        }
    }

    /** The functions are there, and lock nothing. */
    @Test
    void aServerThatLocksNothingIsFoundOutAllTheSame() throws Exception {
        TestPostgres sound = first;
        TestPostgres stub = TestPostgres.embedded(Map.of());
        try {
            stub.execute(
                    "set allow_system_table_mods = on",
                    "create or replace function pg_catalog.pg_try_advisory_xact_lock(bigint)"
                            + " returns bool language sql as 'select true'");
            first = stub;
            Random random = new Random(SEED);
            for (int i = 0; i < RANDOM_MOMENTS; i++) {
                DataSource lossy = new Switchover(Lost.OLDEST, 1 + random.nextInt(30)).dataSource();
                assertThatThrownBy(() -> verifyAgainIfRetryable(lossy))
                        .isInstanceOf(LockVerificationException.class)
                        .satisfies(retryable(false))
                        .hasMessageContainingAll("both granted the exclusive", "ROW");
            }
        } finally {
            first = sound;
            stub.stop();
        }
    }
}
