package org.rowlock.examples.spring;

import static org.rowlock.RowLockMode.FOR_UPDATE;

import org.rowlock.spring.RowLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

class JdbcAfter implements Deposits {
    private final JdbcTemplate jdbc;

    JdbcAfter(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    // snippet: after
    @Override
    @Transactional
    public void deposit(@RowLock(value = "account", mode = FOR_UPDATE) long id, long amount) {
        Long balance = jdbc.queryForObject("select balance from account where id = ?", Long.class, id);
        jdbc.update("update account set balance = ? where id = ?", balance + amount, id);
    }
    // end
}
