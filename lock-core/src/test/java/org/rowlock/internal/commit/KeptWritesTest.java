package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WriteForm;

/** Which texts are kept: those of loops and groups, each of another length, leave room for the others. */
class KeptWritesTest {
    private final Flush.Cache flushes = new Flush.Cache(false);

    private static List<Part> expecting(String sql, int writes) {
        List<Part> parts = new ArrayList<>();
        WriteForm form = new WriteForm(sql, "update", true, false, 0, 1);
        for (int i = 0; i < writes; i++) {
            WriteForms.add(parts, new Write(sql).again().expectRows(1), form, i + 1);
        }
        return parts;
    }

    private String behindLock(String sql, int writes) {
        List<Part> parts = expecting(sql, writes);
        parts.addAll(Ending.plain().around(Part.control(Ending.COMMIT)));
        return flushes.flush(ResolvedRequest.NONE, false, false, Tail.ofWrites(parts, false))
                .sql();
    }

    @Test
    void longWritesBehindALockLeaveRoomForOthers() {
        for (int i = 0; i < 1_000; i++) {
            behindLock("update account set balance = 0", 20 + i);
        }
        String sql = "update account set note = null";
        assertThat(behindLock(sql, 1))
                .isSameAs(behindLock(sql, 1))
                .contains(sql)
                .endsWith("\n;COMMIT");
        assertThat(expecting(sql, 1).get(0).sql())
                .isSameAs(expecting(sql, 1).get(0).sql());
    }

    @Test
    void writesOfOneTextShareTheirCheck() {
        List<Part> parts = expecting("delete from account", 20);
        assertThat(parts.get(0).sql()).contains("count(*) = 1");
        assertThat(parts)
                .hasSize(20)
                .allSatisfy(part -> assertThat(part.sql()).isSameAs(parts.get(0).sql()));
    }
}
