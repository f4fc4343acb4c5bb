package org.rowlock.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TestDatabase;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Starts Spring Boot applications of one component or configuration, in the schema of a test, which closes the
 * applications after the test. As in a user's application, properties configure the pool and the locks.
 */
final class BootApplication {
    private static final String ENVIRONMENT = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

    private BootApplication() {}

    @EnableAutoConfiguration
    static class Auto {}

    static ConfigurableApplicationContext start(TestDatabase database, Class<?> configuration, String... properties) {
        return start(database, configuration, Map.of(), properties);
    }

    static ConfigurableApplicationContext start(
            TestDatabase database, Class<?> configuration, Map<String, Object> variables, String... properties) {
        PGSimpleDataSource dataSource = database.dataSource();
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.datasource.url=" + dataSource.getUrl(),
                "--spring.datasource.username=" + dataSource.getUser(),
                "--spring.datasource.password=" + dataSource.getPassword()));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return database.closing(new SpringApplicationBuilder(Auto.class, configuration)
                .properties(
                        "spring.datasource.hikari.maximum-pool-size=4",
                        "spring.datasource.hikari.minimum-idle=0",
                        // A test can count these locks. The queues admit one call at a time.
                        "rowlock.strategy=both",
                        "rowlock.admission.max-admitted-per-key=1")
                .initializers(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(ENVIRONMENT, new SystemEnvironmentPropertySource(ENVIRONMENT, variables)))
                .run(arguments.toArray(String[]::new)));
    }
}
