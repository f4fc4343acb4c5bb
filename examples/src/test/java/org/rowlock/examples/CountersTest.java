package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

class CountersTest {
    private static final int CLIENTS = 6;
    private static final int ROUNDS = 20;

    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table counter (name text primary key, value bigint not null)");

    @ParameterizedTest
    @EnumSource
    void theSecondWaitsForTheFirstToMakeIt(LockStrategy strategy) throws Exception {
        Counters counters = new Counters(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        Session alice = database.session("alice");
        Session bob = database.session("bob");

        assertThat(alice.<Long>run(c -> counters.lockOrCreate(c, "invoice"))).isZero();
        Step<Long> bobs = bob.start(c -> counters.lockOrCreate(c, "invoice"));
        bobs.awaitBlockedBy(alice);
        alice.act(c -> set(c, "invoice", 7));
        alice.commit();

        assertThat(bobs.get()).isEqualTo(7);
        bob.rollback();
    }

    /** What is rolled back was never there, and whoever waited for it makes it. */
    @ParameterizedTest
    @EnumSource
    void theSecondMakesItWhereTheFirstGivesUp(LockStrategy strategy) throws Exception {
        Counters counters = new Counters(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        Session alice = database.session("alice");
        Session bob = database.session("bob");

        alice.run(c -> counters.lockOrCreate(c, "invoice"));
        Step<Long> bobs = bob.start(c -> counters.lockOrCreate(c, "invoice"));
        bobs.awaitBlockedBy(alice);
        alice.rollback();

        assertThat(bobs.get()).isZero();
        bob.commit();
        assertThat(database.query("select count(*) from counter")).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource
    void noNumberIsLost(LockStrategy strategy) throws Exception {
        Counters counters = new Counters(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        Threads.run(CLIENTS, number -> {
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                for (int round = 0; round < ROUNDS; round++) {
                    String name = "year " + round;
                    set(connection, name, counters.lockOrCreate(connection, name) + 1);
                    connection.commit();
                }
            }
        });
        assertThat(database.query("select count(*) || ' ' || min(value) || ' ' || max(value) from counter"))
                .isEqualTo(ROUNDS + " " + CLIENTS + " " + CLIENTS);
    }

    private static void set(Connection connection, String name, long value) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("update counter set value = ? where name = ?")) {
            update.setLong(1, value);
            update.setString(2, name);
            update.executeUpdate();
        }
    }
}
