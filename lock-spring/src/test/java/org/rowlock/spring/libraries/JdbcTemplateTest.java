package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("long")
class JdbcTemplateTest extends LibraryContract {
    JdbcTemplateTest() {
        super(Library.class);
    }

    @Import(JdbcTransactions.class)
    static class Library implements AccountStore {
        private final JdbcTemplate jdbc;

        Library(DataSource dataSource) {
            this.jdbc = new JdbcTemplate(dataSource);
        }

        @Override
        public long balance(long id) {
            return jdbc.queryForObject("select balance from account where id = ?", Long.class, id);
        }

        @Override
        public void setBalance(long id, long balance) {
            jdbc.update("update account set balance = ? where id = ?", balance, id);
        }

        @Override
        public int backend() {
            return jdbc.queryForObject("select pg_backend_pid()", Integer.class);
        }
    }
}
