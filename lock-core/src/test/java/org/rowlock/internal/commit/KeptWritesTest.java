package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.WriteForm;

/** Which texts are kept: those of loops and groups, each of another length, leave room for the others. */
class KeptWritesTest {
    private final Flushes flushes = new Flushes(false);

    private Flush behindLock(String sql, int executions) {
        WriteScript writes = new WriteScript(null);
        for (int i = 0; i < executions; i++) {
            writes.add(new Write(sql), new WriteForm("update", true, false, 0, 1), i + 1, List.of());
        }
        writes.end(Ending.PLAIN);
        return flushes.flush(ResolvedRequest.NONE, false, false, writes);
    }

    @Test
    void longWritesBehindALockLeaveRoomForOthers() {
        for (int i = 0; i < 1_000; i++) {
            behindLock("update account set balance = " + i, 20);
        }
        String sql = "update account set note = null";
        assertThat(behindLock(sql, 1)).isSameAs(behindLock(sql, 1));
    }
}
