package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Checks unknown names of environment variables and system properties, which Spring Boot ignores silently. */
class UnknownSettingsTest {
    private static StandardEnvironment environment(Map<String, Object> variables, String... properties) {
        Map<Object, Object> system = Arrays.stream(properties).collect(Collectors.toMap(name -> name, name -> "x"));
        system.put(47, "a key that is not a string");
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            @SuppressWarnings("unchecked")
            public Map<String, Object> getSystemProperties() {
                return (Map<String, Object>) (Map<?, ?>) system;
            }
        };
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        return environment;
    }

    @Test
    void aMisspeltVariableOrSystemPropertyIsNamed() {
        Map<String, Object> variables = new LinkedHashMap<>();
        for (String name : new String[] {"ROWLOCK_STRATGEY", "ROWLOCK_JDBC_MOD", "rowlock_lock_wiat", "ROWLOCKS"}) {
            variables.put(name, "x");
        }
        assertThat(RowLocksFactory.unknown(environment(variables, "rowlock.admission.timout", "user.home")))
                .containsExactlyInAnyOrder(
                        "ROWLOCK_STRATGEY", "ROWLOCK_JDBC_MOD", "rowlock_lock_wiat", "rowlock.admission.timout");
    }

    @Test
    void everySpellingThatSpringBootUnderstandsIsKnown() {
        Map<String, Object> variables = new LinkedHashMap<>();
        for (String name : new String[] {
            "ROWLOCK_LOCKWAIT",
            "ROWLOCK_LOCK_WAIT",
            "ROWLOCK_ADMISSION_MAXWAITERSPERKEY",
            "ROWLOCK_TABLES_ORDERS_STRATEGY",
            "ROWLOCK_JDBC_INCLUDE_0_"
        }) {
            variables.put(name, "x");
        }
        assertThat(RowLocksFactory.unknown(environment(
                        variables,
                        "rowlock.lockWait",
                        "rowlock.lock-wait",
                        "rowlock.tables[shop.orders].id-columns[0]",
                        // The drop-in itself checks the properties rowlock.jdbc.*.
                        "rowlock.jdbc.flushWithCommit")))
                .isEmpty();
    }

    @Test
    void optionsOfADropInThatIsNotInUseAreNoticed() {
        assertThat(isDropInUnused(Map.of("rowlock.strategy", "row"))).isFalse();
        assertThat(isDropInUnused(Map.of("rowlock.jdbc.flush-with-commit", "true")))
                .isTrue();
        assertThat(isDropInUnused(Map.of("rowlock.jdbc.flush-with-commit", "true", "rowlock.jdbc.mode", "queue")))
                .isFalse();
    }

    private static boolean isDropInUnused(Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("application", properties));
        return RowLocksFactory.isDropInUnused(environment);
    }
}
