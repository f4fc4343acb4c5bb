package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.rowlock.spring.CountableLocks;
import org.rowlock.spring.EnableRowLocks;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Configures transactions of plain JDBC, and {@code @RowLock}. */
@EnableTransactionManagement
@EnableRowLocks
@Import(CountableLocks.class)
public class JdbcTransactions {
    @Bean
    JdbcTransactionManager transactionManager(DataSource dataSource) {
        return new JdbcTransactionManager(dataSource);
    }
}
