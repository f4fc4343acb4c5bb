package org.rowlock.internal.acquire;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowMapper;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.OpenRows;
import org.rowlock.internal.value.ClaimParts;

/**
 * The objects that all calls for locks share.
 *
 * @param early chooses how transactions end; null if early release is not configured
 * @param lastGranted the {@code ROW} queue entry of each connection's last row lock; when the connection begins another
 *     transaction, this lock has been released
 */
public record LockCalls(
        KnownTables tables,
        LockObserver observer,
        KeyQueues queues,
        @Nullable EarlyRelease early,
        LockFront front,
        Map<Connection, QueueEntry> lastGranted) {
    public LockCalls(KnownTables tables, LockObserver observer, KeyQueues queues) {
        this(tables, observer, queues, null, LockFront.ADAPTIVE);
    }

    public LockCalls(
            KnownTables tables,
            LockObserver observer,
            KeyQueues queues,
            @Nullable EarlyRelease early,
            LockFront front) {
        this(tables, observer, queues, early, front, Collections.synchronizedMap(new WeakHashMap<>()));
    }

    /**
     * Returns how a transaction ends.
     *
     * @param wanted whether other transactions contend for the locks; evaluated at the end of the transaction
     */
    public Ending.Choice endings(BooleanSupplier wanted) {
        EarlyRelease how = early;
        return how == null ? Ending.Choice.PLAIN : session -> how.ending(session, wanted.getAsBoolean());
    }

    public <T> List<T> claim(PgSession session, ClaimParts claim, RowMapper<T> mapper) throws SQLException {
        return new ClaimRunner(session, tables, observer, claim, new OpenRows(), new ArrayList<>()).claim(mapper);
    }
}
