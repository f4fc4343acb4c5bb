package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** What fails in the caller's own query or mapper is the caller's SQLException, and is not blamed on the lock. */
class LockAndQueryFailureTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key)",
            "insert into account values (1)",
            "create table secret(id int)");

    private Throwable failure(LockStrategy strategy, Session session, String sql, int column) throws Exception {
        RowLocks locks = RowLocks.builder().strategy(strategy).build();
        return session.start(c -> locks.in(c).lockAndQuery(KEY, sql, row -> row.getInt(column)))
                .failure();
    }

    @ParameterizedTest
    @EnumSource
    void dataErrorOfTheQueryIsTheCallers(LockStrategy strategy) throws Exception {
        assertThat(failure(strategy, database.session("alice"), "select 1 / (id - 1) from account", 1))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22012"));
    }

    @ParameterizedTest
    @EnumSource
    void unknownTableOfTheQueryIsTheCallersHoweverItIsCalled(LockStrategy strategy) throws Exception {
        assertThat(failure(strategy, database.session("alice"), "select 1 from account_history", 1))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42P01"));
    }

    @ParameterizedTest
    @EnumSource
    void missingPrivilegeOfTheQueryIsTheCallers(LockStrategy strategy) throws Exception {
        String role = database.schema() + "_clerk";
        database.execute(
                "create role " + role,
                "grant usage on schema " + database.schema() + " to " + role,
                "grant select, update on account to " + role);
        Session alice = database.session("alice");
        try {
            alice.execute("set local role " + role);
            assertThat(failure(strategy, alice, "select count(*) from secret", 1))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        } finally {
            alice.rollback();
            database.execute("drop owned by " + role, "drop role " + role);
        }
    }

    /** By then the query has run and the lock is held; so nobody may say that nothing was locked. */
    @ParameterizedTest
    @EnumSource
    void failureOfTheMapperIsTheCallers(LockStrategy strategy) throws Exception {
        Session alice = database.session("alice");
        assertThat(failure(strategy, alice, "select id from account", 9)).isInstanceOf(SQLException.class);
        Session bob = database.session("bob");
        RowLocks locks = RowLocks.builder().strategy(strategy).build();
        boolean free = bob.run(c -> locks.in(c).tryLock(KEY));
        assertThat(free).isFalse();
    }
}
