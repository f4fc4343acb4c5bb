package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.tool.UserError;

/** Checks that another running JMH is detected before a server is started. */
class MachineTest {
    private static final String IGNORED = "jmh.ignoreLock";

    @TempDir
    private Path directory;

    private String ignored;

    @BeforeEach
    void heedTheLock() {
        ignored = System.clearProperty(IGNORED);
    }

    @AfterEach
    void restore() {
        if (ignored != null) {
            System.setProperty(IGNORED, ignored);
        }
    }

    @Test
    @SuppressWarnings("try") // The lock is only held, and otherwise not used.
    void anotherJmhIsFoundByItsLock() throws Exception {
        Path file = directory.resolve("jmh.lock");
        assertThatCode(() -> Machine.refuseBesideJmh(file)).doesNotThrowAnyException();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertThatThrownBy(() -> Machine.refuseBesideJmh(file))
                    .isInstanceOf(UserError.class)
                    .hasMessageContaining("Another JMH runs");
        }
        assertThatCode(() -> Machine.refuseBesideJmh(file)).doesNotThrowAnyException();
    }
}
