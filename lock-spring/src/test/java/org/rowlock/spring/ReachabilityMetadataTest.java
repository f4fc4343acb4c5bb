package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.AntPathMatcher;
import org.yaml.snakeyaml.Yaml;

/**
 * Checks that the metadata for GraalVM exists and is complete, for the modules without Spring. The test builds no
 * image.
 */
class ReachabilityMetadataTest {
    /** The properties of the schema that the metadata uses. */
    private static final Set<String> OF_A_TYPE = Set.of("type", "allDeclaredFields", "allPublicMethods", "methods");

    private static Map<String, List<Map<String, Object>>> metadata(String module) throws Exception {
        String path = "META-INF/native-image/org.rowlock/" + module + "/reachability-metadata.json";
        try (InputStream in = ReachabilityMetadataTest.class.getClassLoader().getResourceAsStream(path)) {
            assertThat(in).as(path).isNotNull();
            // A YAML parser can read JSON.
            return new Yaml().load(in);
        }
    }

    private static Map<String, Map<String, Object>> types(String module) throws Exception {
        Map<String, Map<String, Object>> types = new TreeMap<>();
        for (Map<String, Object> entry : metadata(module).getOrDefault("reflection", List.of())) {
            types.put((String) entry.get("type"), entry);
        }
        return types;
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock-core", "lock-guard", "lock-jdbc"})
    void namesWhatThereIs(String module) throws Exception {
        assertThat(metadata(module).keySet())
                .isSubsetOf("reflection", "resources")
                .isNotEmpty();
        for (Map.Entry<String, Map<String, Object>> entry : types(module).entrySet()) {
            assertThat(entry.getValue().keySet()).isSubsetOf(OF_A_TYPE);
            Class<?> type = Class.forName(entry.getKey());
            for (Object method : (List<?>) entry.getValue().getOrDefault("methods", List.of())) {
                assertThat((Map<?, ?>) method).isEqualTo(Map.of("name", "<init>", "parameterTypes", List.of()));
                assertThat(type.getConstructor()).isNotNull();
            }
        }
        for (Map<String, Object> entry : metadata(module).getOrDefault("resources", List.of())) {
            assertThat(new PathMatchingResourcePatternResolver().getResources("classpath*:" + entry.get("glob")))
                    .as("%s", entry)
                    .isNotEmpty();
        }
    }

    @Test
    void hasEveryEventOfTheFlightRecorder() throws Exception {
        Set<String> events = RowLockTests.subclasses(
                        Event.class, "org/rowlock/internal/**/*.class", "org/rowlock/jdbc/**/*.class")
                .map(Class::getName)
                .collect(Collectors.toSet());
        List<String> told = new ArrayList<>(types("lock-core").keySet());
        told.addAll(types("lock-jdbc").keySet());
        assertThat(events).isNotEmpty();
        assertThat(told).containsAll(events);
    }

    @Test
    void hasTheDriverAndItsBean() throws Exception {
        List<String> drivers = ServiceLoader.load(Driver.class).stream()
                .map(driver -> driver.type().getName())
                .filter(name -> name.startsWith("org.rowlock"))
                .toList();
        assertThat(drivers).isNotEmpty();
        assertThat(types("lock-jdbc").keySet()).containsAll(drivers).contains(RowlockJdbcMXBean.class.getName());
    }

    @Test
    void hasEverySqlFile() throws Exception {
        String folder = RowLockGuard.class.getPackageName().replace('.', '/');
        Resource[] files = new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/*.sql");
        assertThat(files).isNotEmpty();
        List<Object> globs = metadata("lock-guard").get("resources").stream()
                .map(entry -> entry.get("glob"))
                .toList();
        for (Resource file : files) {
            assertThat(globs)
                    .anyMatch(glob -> new AntPathMatcher().match((String) glob, folder + '/' + file.getFilename()));
        }
    }
}
