package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.RowLock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.transaction.annotation.Transactional;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Checks an application without a URL, for which Spring Boot finds the server in the container of the test. */
@EnabledIfSystemProperty(
        named = "rowlock.test.testcontainers",
        matches = "true",
        disabledReason = "starts a container: it needs Docker, and -Drowlock.test.testcontainers=true")
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "rowlock.strategy=both",
            "rowlock.jdbc.mode=queue",
            "spring.sql.init.schema-locations=classpath:service-connection.sql",
            "spring.sql.init.mode=always"
        })
@DirtiesContext // stops the container
class ServiceConnectionTest {
    @Autowired
    private PostgreSQLContainer postgres;

    @Autowired
    private DataSource dataSource;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private Accounts accounts;

    @Test
    void theAnnotationAndTheDropInLockInTheContainer() throws Exception {
        assertThat(accounts.locks(1)).isOne();
        accounts.lockByHand(2);

        assertThat(jdbc.queryForObject("select current_setting('server_version_num')::int / 10000", String.class))
                .isEqualTo(version());
        RowlockDataSource dropIn = dataSource.unwrap(RowlockDataSource.class);
        assertThat(dropIn.control().getFigures().get("account")).containsEntry("recognised", 1L);
        var connection = dataSource.getConnection();
        assertThat(connection.getMetaData().getURL()).isEqualTo(postgres.getJdbcUrl());
    }

    private static String version() {
        return System.getProperty("rowlock.test.postgres.version", "18");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Accounts.class)
    static class Application {
        @Bean
        @ServiceConnection
        PostgreSQLContainer postgres() {
            return new PostgreSQLContainer("postgres:" + version());
        }
    }

    @Transactional
    static class Accounts {
        private final JdbcTemplate jdbc;

        Accounts(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        public int locks(@RowLock("account") long id) {
            return jdbc.queryForObject(
                    "select count(*) from pg_locks where locktype = 'advisory' and granted"
                            + " and classid = 'account'::regclass and objid = ?",
                    Integer.class,
                    id);
        }

        public void lockByHand(long id) {
            jdbc.queryForList("select balance from account where id = ? for update", id);
        }
    }
}
