package org.rowlock.jmh.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.tool.UserError;

class EmbeddedServerTest {
    private static final long MORE_THAN_ANY_DISK_HAS = Long.MAX_VALUE >> 20;

    @Test
    void aDiskWithoutRoomIsSaidBeforeAnythingStarts(@TempDir Path directory) {
        assertThatThrownBy(() -> EmbeddedServer.refuseWithoutRoom(directory.toFile(), MORE_THAN_ANY_DISK_HAS))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("at " + directory + " there are ")
                .hasMessageContaining("Make room there");
    }
}
