package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CommitsTest {
    private final Commits commits = new Commits();

    @Test
    void countsUpToTheLastAndFindsTheLongestGap() {
        commits.begin(at(-100));
        commits.committed(at(100));
        commits.committed(at(700));
        commits.committed(at(900));
        assertThat(commits.longestGapMillis()).isEqualTo(600);
        assertThat(commits.perSecond()).isEqualTo(3);
    }

    @Test
    void aThreadThatComesLateToTellMakesNoGap() {
        commits.begin(at(0));
        commits.committed(at(500));
        commits.committed(at(400));
        commits.committed(at(600));
        assertThat(commits.longestGapMillis()).isEqualTo(500);
    }

    @Test
    void eachIterationStandsForItself() {
        commits.begin(at(0));
        commits.committed(at(800));
        commits.begin(at(1_000));
        assertThat(commits.perSecond()).isZero();
        assertThat(commits.longestGapMillis()).isZero();
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
