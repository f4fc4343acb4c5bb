package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("long")
class JdbcClientTest extends LibraryContract {
    JdbcClientTest() {
        super(Library.class);
    }

    @Import(JdbcTransactions.class)
    static class Library implements AccountStore {
        private final JdbcClient jdbc;

        Library(DataSource dataSource) {
            this.jdbc = JdbcClient.create(dataSource);
        }

        @Override
        public long balance(long id) {
            return jdbc.sql("select balance from account where id = :id")
                    .param("id", id)
                    .query(Long.class)
                    .single();
        }

        @Override
        public void setBalance(long id, long balance) {
            jdbc.sql("update account set balance = :balance where id = :id")
                    .param("balance", balance)
                    .param("id", id)
                    .update();
        }

        @Override
        public int backend() {
            return jdbc.sql("select pg_backend_pid()").query(Integer.class).single();
        }
    }
}
