package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/**
 * Measures pages on which all variants are the same SQL by hand, on a real server. CallTest checks simulated pages. 100
 * pages, by {@code -Drowlock.pages=100}, take some minutes. A slice has {@code -Drowlock.slice} milliseconds.
 */
@Tag("long")
class SameDoorTest {
    private static final int PAGES = Integer.getInteger("rowlock.pages", 5);
    private static final Timing TIMING = new Timing(6, 0, 1, Integer.getInteger("rowlock.slice", 100));

    @Test
    void aVariantAgainstItselfHasNoVerdict() {
        TestPostgres server = TestPostgres.shared();
        ServerAddress address = new ServerAddress(server.url(), server.user(), server.password());
        List<Variant> same = Stream.of("first", "second", "third")
                .map(name -> new Variant(name, Map.of("door", "by-hand"), false))
                .toList();
        Scenario doors = Scenarios.named("doors").orElseThrow();
        Scenario equal = doors.with(List.of(Point.clients(10).with(Point.ROWS, "100")), same)
                .timed(TIMING);
        List<VariantResult> compared = new ArrayList<>();
        for (int page = 1; page <= PAGES; page++) {
            Results results = new Comparison(
                            new ComparisonSettings(List.of(equal), address, 1, "", "", List.of(), null, null),
                            line -> {},
                            line -> {})
                    .run();
            assertThat(results.failures()).isEmpty();
            List<VariantResult> variants =
                    results.scenarios().get(0).points().get(0).variants().subList(1, same.size());
            variants.forEach(each -> System.out.println(each.ratio() + " " + each.call()));
            compared.addAll(variants);
        }
        // One page in a hundred may have intervals without the true ratio. Up to three times as many are accepted.
        int most = (same.size() - 1) * (1 + 3 * PAGES / 100);
        assertThat(compared)
                .filteredOn(each -> each.ratio() == null
                        || each.ratio().low() > 1
                        || each.ratio().high() < 1)
                .hasSizeLessThanOrEqualTo(most);
        assertThat(compared)
                .filteredOn(each -> each.call() == Call.BETTER || each.call() == Call.WORSE)
                .isEmpty();
    }
}
