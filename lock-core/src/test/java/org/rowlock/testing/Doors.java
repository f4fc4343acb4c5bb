package org.rowlock.testing;

import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLocks;
import org.rowlock.internal.value.LockWait;

/** The calls by which a transaction of the caller's locks. */
public final class Doors {
    private Doors() {}

    /** Every call that locks a key, by itself or beside another, with its name. */
    public static Map<String, Session.Body<?>> of(RowLocks locks, LockKey key, LockKey beside) {
        Map<String, Session.Body<?>> doors = new LinkedHashMap<>();
        doors.put("lock", c -> locks.in(c).lock(forUpdate(key)));
        doors.put("lock shared", c -> locks.in(c).lock(forShare(key)));
        doors.put("tryLock", c -> locks.in(c).tryLock(forUpdate(key)).isHeld());
        for (LockWait wait : Waits.ALL) {
            LockRequest one = Requests.waiting(forUpdate(key), wait);
            LockRequest both = Requests.waiting(forUpdate(List.of(key, beside)), wait);
            for (LockRequest each : List.of(one, both)) {
                doors.put("lock " + each, c -> locks.in(c).lock(each));
                doors.put("tryLock " + each, c -> locks.in(c).tryLock(each).isHeld());
            }
            doors.put("lockAndRead " + one, c -> locks.in(c).lockAndRead(one, "select 1", row -> row.getInt(1)));
        }
        return doors;
    }

    /** The same of the first rows of a table, and a claim of one. */
    public static Map<String, Session.Body<?>> ofTable(RowLocks locks, String table) {
        Map<String, Session.Body<?>> doors = of(locks, LockKey.row(table, 1), LockKey.row(table, 2));
        doors.put("claim", c -> locks.in(c).claim(Claim.from(table), row -> 1));
        return doors;
    }
}
