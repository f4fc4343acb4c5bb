package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WriteForm;

/** Which texts are kept: those of loops and groups, each of another length, leave room for the others. */
class KeptWritesTest {
    private final Flushes flushes = new Flushes(false);

    private String behindLock(String sql, int executions) {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < executions; i++) {
            WriteForm form = new WriteForm(sql, "update", true, false, 0, 1);
            parts.add(WriteForms.part(new Write(sql), form, i + 1, List.of()));
        }
        parts.addAll(Ending.PLAIN.around(Part.control(Ending.COMMIT)));
        return flushes.flush(ResolvedRequest.NONE, false, false, Tail.ofWrites(parts, false))
                .sql();
    }

    @Test
    void longWritesBehindALockLeaveRoomForOthers() {
        for (int i = 0; i < 1_000; i++) {
            behindLock("update account set balance = " + i, 20);
        }
        String sql = "update account set note = null";
        assertThat(behindLock(sql, 1)).isSameAs(behindLock(sql, 1)).endsWith(sql + "\n;COMMIT");
    }
}
