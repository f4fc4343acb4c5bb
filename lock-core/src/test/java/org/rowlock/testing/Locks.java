package org.rowlock.testing;

import javax.sql.DataSource;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;

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

    /** Whether a session gets what it asks for, without a wait unless the request has one. */
    public static boolean tryLock(Session session, RowLocks locks, LockRequest request) throws Exception {
        return session.run(connection -> locks.in(connection).tryLock(request).isHeld());
    }
}
