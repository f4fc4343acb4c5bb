package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.TestContext;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedRuntimeException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
import org.springframework.orm.jpa.JpaSystemException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Checks how Spring and Hibernate report a commit that lock-jdbc reports as complete but not confirmed. The caller gets
 * an exception that is not transient. After any exception, such as a lost connection, JPA's transaction manager tells
 * synchronizations that the transaction was rolled back.
 */
class UnconfirmedCommitTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table stock (id bigint primary key, pieces int)", "insert into stock values (1, 10)");

    /** Makes connections commit and then throw the exception of lock-jdbc. */
    static final class Unconfirming implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof DataSource dataSource ? unconfirming(dataSource) : bean;
        }
    }

    private static DataSource unconfirming(DataSource dataSource) {
        return new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                return unconfirming(super.getConnection());
            }
        };
    }

    private static Connection unconfirming(Connection connection) {
        return Proxies.of(Connection.class, (proxy, method, arguments) -> {
            Object result = Proxies.call(connection, method, arguments);
            if (method.getName().equals("commit")) {
                throw unconfirmed();
            }
            return result;
        });
    }

    /** Runs work in a transaction, and returns the status that synchronizations receive at its end. */
    private static List<Integer> statuses(
            PlatformTransactionManager transactions, Class<? extends NestedRuntimeException> thrown, Runnable work) {
        List<Integer> statuses = new ArrayList<>();
        assertThatThrownBy(() -> new TransactionTemplate(transactions).executeWithoutResult(status -> {
                    TestContext.afterCompletion(statuses::add);
                    work.run();
                }))
                .isExactlyInstanceOf(thrown)
                .rootCause()
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("RL001"));
        return statuses;
    }

    /** The SQLSTATE belongs to no class that Spring knows as transient or as a lost connection. */
    @Test
    void noTranslatorOfSpringTakesItForWorthARetry() {
        SQLException failure = unconfirmed();
        for (SQLExceptionTranslator each : List.of(
                new SQLExceptionSubclassTranslator(),
                new SQLStateSQLExceptionTranslator(),
                new SQLErrorCodeSQLExceptionTranslator("PostgreSQL"))) {
            assertThat(each.translate("commit", null, failure)).isNull();
        }
    }

    private static SQLException unconfirmed() {
        return new SQLNonTransientException("committed, and not confirmed", "RL001");
    }

    @Test
    void byTheTransactionManagerOfJdbc() throws Exception {
        DataSource dataSource = unconfirming(database.dataSource());
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        assertThat(statuses(
                        new JdbcTransactionManager(dataSource),
                        TransactionSystemException.class,
                        () -> jdbc.update("update stock set pieces = pieces - 1")))
                .containsExactly(TransactionSynchronization.STATUS_UNKNOWN);
        assertThat(database.query("select pieces from stock")).isEqualTo("9");
    }

    @Test
    void byThatOfJpaAndHibernate() throws Exception {
        ConfigurableApplicationContext context = BootApplication.start(database, Unconfirming.class);
        EntityManager entities = context.getBean(EntityManager.class);
        assertThat(statuses(
                        context.getBean(PlatformTransactionManager.class),
                        JpaSystemException.class,
                        () -> entities.find(RowLockJdbcTest.Stock.class, 1L).pieces--))
                .containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK);
        assertThat(database.query("select pieces from stock")).isEqualTo("9");
    }
}
