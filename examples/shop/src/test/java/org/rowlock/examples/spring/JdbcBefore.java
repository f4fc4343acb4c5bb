package org.rowlock.examples.spring;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

class JdbcBefore implements Deposits {
    private final JdbcTemplate jdbc;

    JdbcBefore(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    // snippet: before
    @Override
    @Transactional
    public void deposit(long id, long amount) {
        Long balance = jdbc.queryForObject("select balance from account where id = ? for update", Long.class, id);
        jdbc.update("update account set balance = ? where id = ?", balance + amount, id);
    }
    // end
}
