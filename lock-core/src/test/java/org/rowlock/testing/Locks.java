package org.rowlock.testing;

import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.session.IdColumns;

/** The locks of tests. */
public final class Locks {
    private Locks() {}

    /** Creates an instance of the strategy, with the defaults for all else. */
    public static RowLocks locks(LockStrategy strategy) {
        return LockAccess.builder().strategy(strategy).build();
    }

    /** The same locks, whose transactions use connections of the DataSource. */
    public static RowLocks on(RowLocks locks, DataSource dataSource) {
        return LockAccess.of(locks).on(dataSource);
    }

    /** Creates calls of the strategy that wait in these queues. */
    public static LockCalls calls(LockStrategy strategy, KeyQueues queues) {
        return calls(strategy, queues, LockFront.ADAPTIVE);
    }

    /** The same, with a choice of the key in front. */
    public static LockCalls calls(LockStrategy strategy, KeyQueues queues, LockFront front) {
        KnownTables tables = new KnownTables(strategy, Map.of(), Map.of(), 10, new IdColumns());
        return new LockCalls(tables, new LockObserver(List.of()), queues, Integer.MAX_VALUE, null, front);
    }

    /** Locks in a session, and waits for the end of the call. */
    public static LockResult lock(Session session, RowLocks locks, LockRequest request) throws Exception {
        return startLock(session, locks, request).get();
    }

    /** Begins to lock in a session. */
    public static Step<LockResult> startLock(Session session, RowLocks locks, LockRequest request) {
        return session.start(connection -> locks.in(connection).lock(request));
    }

    /** Whether a session gets what it asks for, without a wait unless the request has one. */
    public static boolean tryLock(Session session, RowLocks locks, LockRequest request) throws Exception {
        return session.run(connection -> locks.in(connection).tryLock(request).isHeld());
    }
}
