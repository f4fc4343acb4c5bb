package org.rowlock.examples.spring;

import static org.rowlock.LockRequest.forNoKeyUpdate;

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
        if (!locks.tryLock(forNoKeyUpdate(LockKey.row("account", id)).atMost(Duration.ofMillis(200)))
                .isHeld()) {
            return false; // another transaction holds the lock; this transaction stays usable
        }
        jdbc.update("update account set balance = balance + 1 where id = ?", id);
        return true;
    }
    // end

    // snippet: inTransaction
    /** No @Transactional: the queue of the JVM comes first, then a connection and the transaction. */
    public int withdraw(long id, long amount) {
        return locks.inTransaction(
                forNoKeyUpdate(LockKey.row("account", id)),
                () -> jdbc.update("update account set balance = balance - ? where id = ?", amount, id));
    }
    // end
}
