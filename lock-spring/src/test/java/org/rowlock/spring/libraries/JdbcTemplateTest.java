package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

@Tag("long")
class JdbcTemplateTest extends LibraryContract {
    JdbcTemplateTest() {
        super(Library.class);
    }

    @Import(JdbcTransactions.class)
    static class Library {
        @Bean
        AccountStore store(DataSource dataSource) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            return new AccountStore(
                    id -> jdbc.queryForObject("select balance from account where id = ?", Long.class, id),
                    (id, balance) -> jdbc.update("update account set balance = ? where id = ?", balance, id),
                    () -> jdbc.queryForObject("select pg_backend_pid()", Integer.class));
        }
    }
}
