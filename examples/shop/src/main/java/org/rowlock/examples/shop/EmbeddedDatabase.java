package org.rowlock.examples.shop;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A real PostgreSQL in a temporary directory, if no {@code spring.datasource.url} is given. The directory is deleted
 * when the program ends.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnExpression("'${spring.datasource.url:}'.isEmpty()")
public class EmbeddedDatabase {
    private static final String NAME = "postgres";

    @Bean(destroyMethod = "close")
    EmbeddedPostgres embeddedPostgres() throws IOException {
        return EmbeddedPostgres.start();
    }

    @Bean
    JdbcConnectionDetails embeddedPostgresConnection(EmbeddedPostgres server) {
        return new JdbcConnectionDetails() {
            @Override
            public String getUsername() {
                return NAME;
            }

            @Override
            public String getPassword() {
                return NAME;
            }

            @Override
            public String getJdbcUrl() {
                return server.getJdbcUrl(NAME, NAME);
            }
        };
    }
}
