package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.Pace;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Variant;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class ScenarioOptionsTest {
    @Command
    private static final class Host {
        @Mixin
        private final ScenarioOptions scenarios = new ScenarioOptions();
    }

    private static List<Scenario> scenarios(String... arguments) {
        return scenarios(new ArrayList<>(), arguments);
    }

    private static List<Scenario> scenarios(List<String> remarks, String... arguments) {
        Host host = new Host();
        new CommandLine(host).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return host.scenarios.scenarios(true, remarks);
    }

    private static List<List<String>> points(List<Scenario> scenarios) {
        return scenarios.stream()
                .map(scenario -> scenario.points().stream().map(Point::label).toList())
                .toList();
    }

    @Test
    void anotherExponentLeavesTheDefaultAsShortAsItIs() {
        assertThat(points(scenarios("--zipf", "1.3"))).isEqualTo(points(scenarios()));
        assertThat(scenarios("--zipf", "1.3").get(0).points().get(0).params()).containsEntry("zipf", "1.3");
    }

    @Test
    void clientsReplaceThePointsOfScenariosThatAreRunOverThem() {
        assertThat(points(scenarios("--scenario", "clients,group,queue,pool", "--clients", "3,3,1")))
                .containsExactly(
                        List.of("3 clients", "1 client"),
                        List.of(
                                "3 clients, one row",
                                "3 clients",
                                "3 clients, one row, 3 writes",
                                "3 clients, 3 writes",
                                "1 client, one row",
                                "1 client",
                                "1 client, one row, 3 writes",
                                "1 client, 3 writes"),
                        List.of("3 workers", "1 worker"),
                        List.of("300 hot threads"));
    }

    @Test
    void onlyTheNamedPointsAreMeasured() {
        String[] named = {
            "--scenario", "canary", "--point", "1 of 5 JVMs x 6", "--point", "1 of 2 JVMs x 30, long holder"
        };
        assertThat(points(scenarios(named)))
                .containsExactly(List.of("1 of 5 JVMs x 6", "1 of 2 JVMs x 30, long holder"));
    }

    @Test
    void aDoorRunsWithItsBaselineOnly() {
        assertThat(scenarios("--scenario", "doors,doors-jpa", "--variant", "lock; jpa-flush").stream()
                        .flatMap(family -> family.variants().stream())
                        .map(Variant::door))
                .containsExactly("by-hand", "lock", "jpa-query", "jpa-flush");
    }

    /** A named scenario without the point is an error, but a default scenario is left out. */
    @Test
    void theDefaultLeavesOutTheScenariosWithoutThePoint() {
        List<String> remarks = new ArrayList<>();
        List<Scenario> chosen = scenarios(remarks, "--point", "4 clients");
        assertThat(chosen).extracting(Scenario::name).containsExactly("share");
        assertThat(remarks)
                .anySatisfy(remark -> assertThat(remark)
                        .startsWith("Without pool: it has none of the points that --point selects. It has: 300 hot"));
    }

    @Test
    void aPointThatNoScenarioHasIsNamedAsTheCause() {
        assertThatThrownBy(() -> scenarios("--point", "none"))
                .isInstanceOf(ParameterException.class)
                .hasMessageStartingWith("No scenario has what --point and --variant select.");
    }

    @Test
    void aNetworkIsBetweenClientsAndServerInEveryScenario() {
        String all = Scenarios.all().stream().map(Scenario::name).collect(Collectors.joining(","));
        List<Scenario> over = scenarios("--scenario", all, "--rtt", "0,500us");
        assertThat(over)
                .allSatisfy(scenario -> assertThat(
                                scenario.points().stream().map(Point::rttMillis).distinct())
                        .containsExactlyInAnyOrder(0.0, 0.5));
        assertThat(points(scenarios("--scenario", "round-trips", "--rtt", "2ms")))
                .containsExactly(List.of("90 clients, 2.0 ms", "1 client, 2.0 ms"));
    }

    @Test
    void theDefaultRunsItsMainScenariosWithAndWithoutANetworkInTenMinutes() {
        assertThat(points(scenarios()).get(0)).containsExactly("90 clients", "90 clients, 0.5 ms");
        assertThat(Pace.estimate(scenarios())).isLessThanOrEqualTo(Duration.ofMinutes(10));
        assertThat(scenarios())
                .allSatisfy(scenario -> assertThat(scenario.variants()).hasSizeGreaterThan(2));
    }

    @Test
    void theBaselineAlwaysRuns() {
        assertThat(scenarios("--scenario", "zipfian", "--variant", "advisory + admission").get(0).variants().stream()
                        .map(Variant::label))
                .containsExactly("FOR_UPDATE", "ADVISORY + admission");
    }

    @Test
    void groupsOfUpdatesHaveNoStrategy() {
        assertThat(scenarios("--scenario", "group").get(0).variants())
                .allSatisfy(variant -> assertThat(variant.strategy()).isEmpty());
    }

    @Test
    void theDefaultHasEveryVariantThatIsNamed() {
        assertThat(scenarios("--variant", "both"))
                .filteredOn(scenario -> scenario.takes("strategy"))
                .hasSizeGreaterThan(1)
                .allSatisfy(scenario -> assertThat(scenario.variants())
                        .anyMatch(each -> each.strategy().equals("BOTH")));
    }

    /** A comparison of only a control with the baseline would answer no question. */
    @Test
    void whatComparesNothingDoesNotRun() {
        assertThatThrownBy(() -> scenarios("--scenario", "zipfian", "--variant", "optimistic"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("has no variant to compare");
    }
}
