package org.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;
import static org.rowlock.testing.Failures.sqlState;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.RowMapper;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.Waits;

/** A lock and a query in one round trip. */
abstract class QueryContract extends RowLockContract {
    private static final LockKey KEY = account(1);

    QueryContract(FirstLockContracts of) {
        super(of, ACCOUNTS, TEN_ACCOUNTS);
    }

    private List<Long> lockAndRead(Session session, LockWait wait, String sql, Object... binds) throws Exception {
        return session.run(c ->
                locks.in(c).lockAndRead(Requests.waiting(forUpdate(KEY), wait), sql, row -> row.getLong(1), binds));
    }

    @Test
    void everyRowIsMappedInItsOrder() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertThat(lockAndRead(alice, wait, "select id from account where id > ? order by id desc", 7))
                    .containsExactly(10L, 9L, 8L);

            assertThat(isFree(KEY)).isFalse();
        });
    }

    @Test
    void noRowsAreAnEmptyListAndTheLockIsHeld() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertThat(lockAndRead(alice, wait, "select id from account where id > 1000"))
                    .isEmpty();

            assertThat(isFree(KEY)).isFalse();
        });
    }

    @Test
    void theQueryDoesNotRunWithoutTheLock() throws Exception {
        forEach(Waits.SHORT, wait -> {
            lock(alice, KEY);
            bob.execute("update account set balance = 3 where id = 3");

            assertThatThrownBy(() -> lockAndRead(
                            bob, wait, "update account set balance = ? where id in (1, 2) returning balance", 100))
                    .isInstanceOf(LockNotAvailableException.class);

            assertThat(query(bob, "select balance from account where id = 2")).isEqualTo("0");
            assertThat(advisoryLocksOf(bob)).isZero();
            alice.rollback();
            assertThat(isFree(KEY)).isTrue();
            bob.commit();
            assertThat(List.of(balance(1), balance(2), balance(3))).containsExactly(0L, 0L, 3L);
        });
    }

    @Test
    void theQueryOnAnotherTableDoesNotRunWithoutTheLockEither() throws Exception {
        forEach(Waits.SHORT, wait -> {
            LockKey name = LockKey.name("report");
            lock(alice, name);

            assertThatThrownBy(() -> bob.run(c -> locks.in(c)
                            .lockAndRead(
                                    Requests.waiting(forUpdate(name), wait),
                                    "update account set balance = 1 returning id",
                                    row -> row.getInt(1))))
                    .isInstanceOf(LockNotAvailableException.class);

            bob.commit();
            assertThat(balance(1)).isZero();
        });
    }

    @Test
    void theQueryMayWriteOnceTheLockIsHeld() throws Exception {
        lock(alice, KEY);
        alice.execute("update account set balance = 5 where id = 1");
        Step<List<Long>> step = bob.start(c -> locks.in(c)
                .lockAndRead(
                        forUpdate(KEY),
                        "update account set balance = balance + ? where id = 1 returning balance",
                        row -> row.getLong(1),
                        10));
        step.awaitBlockedBy(alice);

        alice.commit();

        assertThat(step.get()).containsExactly(15L);
        bob.commit();
        assertThat(balance(1)).isEqualTo(15);
    }

    @ParameterizedTest
    @CsvSource({
        "2, select balance from account where id = ?",
        "1, 'select balance from account where id in (?, ?)'",
        "1, 'select balance from account where id in (?, ?, ?)'",
        "1, select balance from account"
    })
    void wrongBindsAreRefusedBeforeAnythingIsLocked(int binds, String sql) throws Exception {
        forEach(Waits.ALL, wait -> {
            bob.execute("update account set balance = 3 where id = 3");

            assertIllegal(
                    () -> lockAndRead(
                            bob, wait, sql, Collections.nCopies(binds, 1).toArray()),
                    binds + " bind values",
                    sql);

            assertThat(isFree(KEY)).isTrue();
            bob.commit();
            assertThat(balance(3)).isEqualTo(3);
        });
    }

    @Test
    void wrongBindsAsTheFirstStatementLeaveTheTransactionUsable() throws Exception {
        forEach(Waits.ALL, wait -> {
            assertIllegal(() -> lockAndRead(bob, wait, "select 1", 1));
            assertIllegal(() -> lockAndRead(bob, wait, "select ?::int"));

            assertThat(isFree(KEY)).isTrue();
            assertThat(lockAndRead(bob, wait, "select ?::int", 4)).containsExactly(4L);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "select 1; select 2, more than one statement",
        "select 1; delete from account, more than one statement",
        "update account set balance = 1 where id = 1, RETURNING",
        "commit, RETURNING"
    })
    void whatIsNoSingleQueryIsRefused(String sql, String words) throws Exception {
        forEach(Waits.ALL, wait -> {
            assertIllegal(() -> lockAndRead(bob, wait, sql), words, "roll the transaction back");

            bob.rollback();
            assertThat(advisoryLocksOf(bob)).isZero();
            assertThat(isFree(KEY)).isTrue();
            assertThat(database.query("select count(*) from account where balance = 0"))
                    .isEqualTo("10");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select balance from account where id = ? -- the account",
                "select balance from account where id = ? /* the account */",
                "select balance from account where id = ?;",
                "-- the account\nselect balance from account where id = ?",
                "/* ; */ select balance from account where id = ? and ';' = $$;$$",
                "with a as (select * from account) select balance from a where id = ?",
                "  select balance\n\tfrom account\n\twhere id = ?\n"
            })
    void commentsAndATrailingSemicolonAreFine(String sql) throws Exception {
        alice.execute("update account set balance = 9 where id = 1");

        for (LockWait wait : Waits.ALL) {
            assertThat(lockAndRead(alice, wait, sql, 1)).as("%s", wait).containsExactly(9L);
        }
        assertThat(isFree(KEY)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select nothing from account|42703",
                "select 1 from nowhere|42P01",
                "select 1 from account_history|42P01",
                "select selec|42703",
                "selec 1|42601",
                "select 1 / (balance - balance) from account where id = 1|22012",
                "select 1 / 0|22012",
                "select 2147483647 + id from account where id = 1|22003",
                "select text 'x' || 'y' || current_setting('no.such')|42704",
                "insert into account values (1) returning id|23505",
                "select cast(substr('abc', id) as int) from account where id = 1|22P02"
            })
    void aFailingQueryIsTheServersOwnException(String sqlAndState) throws Exception {
        String sql = sqlAndState.substring(0, sqlAndState.lastIndexOf('|'));
        String state = sqlAndState.substring(sqlAndState.lastIndexOf('|') + 1);

        for (LockWait wait : Waits.ALL) {
            assertThatThrownBy(() -> lockAndRead(bob, wait, sql)).as("%s", wait).satisfies(sqlState(state));
            bob.rollback();
            assertThat(isFree(KEY)).isTrue();
        }
    }

    @Test
    void nullsCanBeBound() throws Exception {
        List<String> values = alice.run(c -> locks.in(c)
                .lockAndRead(
                        forUpdate(KEY),
                        "select coalesce(?::text, 'none') || coalesce(?::int, 7)",
                        row -> row.getString(1),
                        null,
                        null));

        assertThat(values).containsExactly("none7");
    }

    @Test
    void rowsMayBeMappedToNull() throws Exception {
        List<String> values = alice.run(c -> locks.in(c)
                .lockAndRead(forUpdate(KEY), "select null::text union all select 'a'", row -> row.getString(1)));

        assertThat(values).containsExactlyElementsOf(Arrays.asList(null, "a"));
    }

    @Test
    void anExceptionOfTheMapperReachesTheCallerUnwrapped() throws Exception {
        for (Exception thrown :
                List.of(new SQLException("no such thing"), new IllegalStateException("no such thing"))) {
            forEach(Waits.ALL, wait -> {
                assertThatThrownBy(() -> alice.run(c -> locks.in(c)
                                .lockAndRead(Requests.waiting(forUpdate(KEY), wait), "select 1", throwing(thrown))))
                        .isSameAs(thrown);

                assertLockedAndUsable();
            });
        }
    }

    @Test
    void aMapperThatAsksForAColumnThatIsNotThereGetsTheDriversException() throws Exception {
        List<RowMapper<Integer>> mappers =
                List.of(row -> row.getInt(3), row -> row.getInt(2), row -> row.getInt("nothing"));
        for (RowMapper<Integer> mapper : mappers) {
            forEach(Waits.ALL, wait -> {
                assertThatThrownBy(() -> alice.run(c -> locks.in(c)
                                .lockAndRead(Requests.waiting(forUpdate(KEY), wait), "select 1, 'abc'", mapper)))
                        .isInstanceOf(SQLException.class);

                assertLockedAndUsable();
            });
        }
    }

    private void assertLockedAndUsable() throws Exception {
        assertThat(isFree(KEY)).isFalse();
        alice.execute("update account set balance = 4 where id = 4");
        alice.commit();
        assertThat(balance(4)).isEqualTo(4);
    }

    @Test
    void aQueryRunsBehindSeveralLocks() throws Exception {
        List<LockKey> keys = LockKey.rows("account", List.of(3, 1, 2));
        String sql = "select balance from account where id in (1, 2, 3) order by id";
        lock(alice, account(2));
        Step<List<Long>> waiting = bob.start(c -> locks.in(c).lockAndRead(forUpdate(keys), sql, row -> row.getLong(1)));
        waiting.awaitBlockedBy(alice);
        alice.execute("update account set balance = balance + 1 where id = 2");
        alice.commit();

        assertThat(waiting.get()).containsExactly(0L, 1L, 0L);
        for (LockKey key : keys) {
            assertThat(isFree(key)).isFalse();
        }
    }

    @Test
    void aQueryBehindSeveralLocksDoesNotRunWhereOneIsTaken() throws Exception {
        List<LockKey> keys = LockKey.rows("account", List.of(1, 2));
        String sql = "update account set balance = 7 where id = 1 returning 1";
        lock(alice, account(2));

        assertThatThrownBy(() ->
                        bob.run(c -> locks.in(c).lockAndRead(forUpdate(keys).noWait(), sql, row -> row.getLong(1))))
                .isInstanceOf(LockNotAvailableException.class);

        bob.commit();
        assertThat(balance(1)).isZero();
        assertThat(isFree(account(1))).isTrue();
    }
}
