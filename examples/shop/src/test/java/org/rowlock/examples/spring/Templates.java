package org.rowlock.examples.spring;

import java.time.Duration;
import org.rowlock.LockKey;
import org.rowlock.spring.RowLockTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Locks in code. */
class Templates {
    private final RowLockTemplate locks;
    private final JdbcTemplate jdbc;

    Templates(RowLockTemplate locks, JdbcTemplate jdbc) {
        this.locks = locks;
        this.jdbc = jdbc;
    }

    // snippet: tryLock
    @Transactional
    public boolean addInterest(long id) {
        if (!locks.tryLock(LockKey.row("account", id), Duration.ofMillis(200))) {
            return false; // somebody is at it; the transaction is usable all the same
        }
        jdbc.update("update account set balance = balance + 1 where id = ?", id);
        return true;
    }
    // end

    // snippet: inTransaction
    /** No @Transactional: the queue of the JVM comes first, then a connection and the transaction. */
    public int withdraw(long id, long amount) {
        return locks.inTransaction(
                LockKey.row("account", id),
                () -> jdbc.update("update account set balance = balance - ? where id = ?", amount, id));
    }
    // end
}
