package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.LockObservationContext;
import org.rowlock.testing.TestDatabase;
import org.yaml.snakeyaml.Yaml;

/** Checks that the dashboard and the alerts in docs/grafana can be loaded, and that every metric in them exists. */
class DashboardTest {
    private static final Pattern METRIC = Pattern.compile("rowlock_[a-z_]+");
    private static final Pattern GROUPED = Pattern.compile("by \\(([a-z, ]+)\\)");

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0);

    @Test
    void showsMetricsThatThereAre() throws Exception {
        // A YAML parser can read JSON.
        Map<String, Object> dashboard = load("dashboard.json");
        assertThat(dashboard).containsEntry("title", "Rowlock").containsKeys("schemaVersion", "templating");
        Set<Object> ids = new HashSet<>();
        List<String> expressions = new ArrayList<>();
        for (Object panel : (List<?>) dashboard.get("panels")) {
            Map<?, ?> values = (Map<?, ?>) panel;
            assertThat(ids.add(values.get("id"))).isTrue();
            assertThat(values.get("gridPos"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsKeys("h", "w", "x", "y");
            for (Object target : (List<?>) values.get("targets")) {
                expressions.add((String) ((Map<?, ?>) target).get("expr"));
            }
        }
        assertThat(expressions).hasSameSizeAs(ids);
        assertAreThere(expressions);
    }

    @Test
    void alertsLookAtMetricsThatThereAre() throws Exception {
        List<String> expressions = new ArrayList<>();
        for (Object group : (List<?>) load("alerts.yml").get("groups")) {
            for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
                Map<?, ?> values = (Map<?, ?>) rule;
                assertThat(values.get("alert")).isInstanceOf(String.class);
                assertThat(((Map<?, ?>) values.get("annotations")).get("summary"))
                        .isInstanceOf(String.class);
                expressions.add((String) values.get("expr"));
            }
        }
        assertThat(expressions).isNotEmpty();
        assertAreThere(expressions);
    }

    /**
     * Loads a file of docs/grafana. The tests run in lock-spring, and for Spring Boot 4 in a folder below lock-spring.
     */
    private static Map<String, Object> load(String name) throws IOException {
        Path here = Path.of("..", "docs", "grafana", name);
        return new Yaml()
                .load(Files.readString(Files.exists(here) ? here : Path.of("..").resolve(here)));
    }

    private void assertAreThere(List<String> expressions) throws Exception {
        String scraped = scrape();
        Set<String> metrics = found(Pattern.compile("^(rowlock_[a-z_]+)", Pattern.MULTILINE), scraped);
        Set<String> labels = found(Pattern.compile("[{,]([a-z_]+)=\""), scraped);
        for (String expression : expressions) {
            assertThat(METRIC.matcher(expression).results().map(MatchResult::group))
                    .as(expression)
                    .isNotEmpty()
                    .isSubsetOf(metrics);
            assertThat(found(GROUPED, expression)).as(expression).isSubsetOf(labels);
        }
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String scrape() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ObservationRegistry observed = ObservationRegistry.create();
        observed.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
        StringBuilder scraped = new StringBuilder();
        observe(observed, registry, true, scraped);
        observe(observed, registry, false, scraped);
        Observation.start("rowlock.hold", observed)
                .lowCardinalityKeyValue("table", "account")
                .stop();
        try (RowlockDataSource dataSource = RowlockDataSource.wrap(database.dataSource());
                Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("delete from account where id = 1");
            new JdbcMetrics(registry).bind("shop", dataSource.control());
            return scraped.append(registry.scrape()).toString();
        }
    }

    private static void observe(
            ObservationRegistry observed, PrometheusMeterRegistry registry, boolean queue, StringBuilder scraped) {
        LockObservationContext context = new LockObservationContext(
                queue, List.of(LockKey.row("account", 1)), RowLockMode.FOR_NO_KEY_UPDATE, LockStrategy.ROW);
        Observation observation =
                Observation.start(queue ? "rowlock.admission" : "rowlock.acquire", () -> context, observed);
        scraped.append(registry.scrape());
        observation
                .lowCardinalityKeyValue("outcome", queue ? "ADMITTED" : "ACQUIRED")
                .stop();
    }
}
