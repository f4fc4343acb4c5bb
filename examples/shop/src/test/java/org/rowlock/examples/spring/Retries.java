package org.rowlock.examples.spring;

import org.rowlock.spring.RowLock;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** What is run again. */
class Retries {
    private final JdbcTemplate jdbc;

    Retries(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    // snippet: retryable
    @Retryable(
            includes = PessimisticLockingFailureException.class,
            maxRetries = 3,
            delay = 50,
            jitter = 25,
            multiplier = 2)
    @Transactional
    public void deposit(@RowLock(value = "account", lockWait = "500ms") long id, long amount) {
        jdbc.update("update account set balance = balance + ? where id = ?", amount, id);
    }
    // end

    @Retryable(includes = PessimisticLockingFailureException.class, maxRetries = Long.MAX_VALUE, delay = 5)
    @Transactional
    public void depositAtLast(@RowLock(value = "account", lockWait = "nowait") long id, long amount) {
        jdbc.update("update account set balance = balance + ? where id = ?", amount, id);
    }
}
