package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExclusionTest {
    private final Exclusion exclusion = new Exclusion(2);

    @Test
    void oneAfterTheOtherIsFine() {
        exclusion.enter(0);
        exclusion.enter(1);
        exclusion.leave(0);
        exclusion.enter(0);
        assertThatCode(exclusion::check).doesNotThrowAnyException();
    }

    @Test
    void sharersAreFineTogether() {
        exclusion.enterShared(1);
        exclusion.enterShared(1);
        exclusion.leaveShared(1);
        exclusion.leaveShared(1);
        exclusion.enter(1);
        assertThatCode(exclusion::check).doesNotThrowAnyException();
    }

    @Test
    void twoExclusiveOnesAreNoticedEvenAfterTheyHaveLeft() {
        exclusion.enter(1);
        exclusion.enter(1);
        exclusion.leave(1);
        exclusion.leave(1);
        assertThatThrownBy(exclusion::check)
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("key 1");
    }

    @Test
    void oneOfAnotherProcessIsNoticed(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("inside"));
        Exclusion.among(file, 2).enter(1);
        Exclusion other = Exclusion.among(file, 2);
        other.enter(0);
        assertThatCode(other::check).doesNotThrowAnyException();
        other.enter(1);
        assertThatThrownBy(other::check).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void aSharerBesideAnExclusiveOneIsNoticed() {
        exclusion.enter(0);
        exclusion.enterShared(0);
        assertThatThrownBy(exclusion::check).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void anExclusiveOneBesideASharerIsNoticed() {
        exclusion.enterShared(0);
        exclusion.enter(0);
        assertThatThrownBy(exclusion::check)
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("1 sharers");
    }
}
