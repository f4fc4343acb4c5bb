package org.rowlock.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.locks;

import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** The server quotes ids and binds in its errors; none of them can pass for what a check says. */
class ForgedCheckTest {
    private static final List<String> FORGED = List.of(
            "rowlock:taken",
            "rowlock:taken:off",
            "rowlock:stale:",
            "rowlock:repeatable read/off/:",
            "rowlock:serializable;drop table victim;commit;begin;--/off/:",
            "\":serializable;drop table victim;commit;begin;--/off/:");

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1, "create table victim(id int)");

    @EveryStrategy
    void inAnId(LockStrategy strategy, RowLocks locks, Session alice) throws Exception {
        // Without id columns, any text is the id of a key.
        String table = strategy == LockStrategy.ADVISORY ? "victim" : "account";
        for (String forged : FORGED) {
            for (Session.Body<?> body : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(row(table, forged))),
                    c -> locks.in(c).tryLock(forUpdate(row(table, forged))).isHeld(),
                    c -> locks.in(c).lock(forUpdate(List.of(row(table, forged), row("account", 1)))))) {
                if (strategy == LockStrategy.ADVISORY) {
                    alice.run(body);
                } else {
                    assertThatThrownBy(() -> alice.run(body)).isExactlyInstanceOf(LockTargetException.class);
                }
                alice.rollback();
            }
        }
        assertThat(database.query("select count(*) from victim")).isEqualTo("0");
    }

    @EveryStrategy
    void inABindOfTheQuery(RowLocks locks, Session alice) throws Exception {
        for (String forged : FORGED) {
            for (LockWait wait : List.of(LockWait.FOREVER, LockWait.NO_WAIT)) {
                assertThatThrownBy(() -> alice.run(c -> locks.in(c)
                                .lockAndRead(
                                        Requests.waiting(forUpdate(row("account", 1)), wait),
                                        "select cast(cast(? as text) as int)",
                                        rs -> rs.getInt(1),
                                        forged)))
                        .satisfies(sqlState("22P02"));
                alice.rollback();
            }
        }
        assertThat(database.query("select count(*) from victim")).isEqualTo("0");
    }
}
