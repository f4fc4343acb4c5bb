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
        exclusion.enter(0, false);
        exclusion.enter(1, false);
        exclusion.leave(0, false);
        exclusion.enter(0, false);
        assertThatCode(exclusion::check).doesNotThrowAnyException();
    }

    @Test
    void sharersAreFineTogether() {
        exclusion.enter(1, true);
        exclusion.enter(1, true);
        exclusion.leave(1, true);
        exclusion.leave(1, true);
        exclusion.enter(1, false);
        assertThatCode(exclusion::check).doesNotThrowAnyException();
    }

    @Test
    void twoExclusiveOnesAreNoticedEvenAfterTheyHaveLeft() {
        exclusion.enter(1, false);
        exclusion.enter(1, false);
        exclusion.leave(1, false);
        exclusion.leave(1, false);
        assertThatThrownBy(exclusion::check)
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("key 1");
    }

    @Test
    void oneOfAnotherProcessIsNoticed(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("inside"));
        Exclusion.among(file, 2).enter(1, false);
        Exclusion other = Exclusion.among(file, 2);
        other.enter(0, false);
        assertThatCode(other::check).doesNotThrowAnyException();
        other.enter(1, false);
        assertThatThrownBy(other::check).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void aSharerBesideAnExclusiveOneIsNoticed() {
        exclusion.enter(0, false);
        exclusion.enter(0, true);
        assertThatThrownBy(exclusion::check).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void anExclusiveOneBesideASharerIsNoticed() {
        exclusion.enter(0, true);
        exclusion.enter(0, false);
        assertThatThrownBy(exclusion::check)
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("1 in a shared mode");
    }
}
