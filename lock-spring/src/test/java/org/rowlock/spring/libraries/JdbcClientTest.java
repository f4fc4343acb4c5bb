package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("long")
class JdbcClientTest extends LibraryContract {
    JdbcClientTest() {
        super(Library.class);
    }

    @Import(JdbcTransactions.class)
    static class Library {
        @Bean
        AccountStore store(DataSource dataSource) {
            JdbcClient jdbc = JdbcClient.create(dataSource);
            return new AccountStore(
                    id -> jdbc.sql("select balance from account where id = :id")
                            .param("id", id)
                            .query(Long.class)
                            .single(),
                    (id, balance) -> jdbc.sql("update account set balance = :balance where id = :id")
                            .param("balance", balance)
                            .param("id", id)
                            .update(),
                    () -> jdbc.sql("select pg_backend_pid()")
                            .query(Integer.class)
                            .single());
        }
    }
}
