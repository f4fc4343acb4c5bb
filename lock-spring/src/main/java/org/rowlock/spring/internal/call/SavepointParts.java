package org.rowlock.spring.internal.call;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The locks and unsent writes of a transaction, with one part for each savepoint. A rollback to a savepoint removes the
 * part of that savepoint and all later parts.
 */
abstract class SavepointParts implements TransactionSynchronization {
    private static final Object BEFORE_ANY = "";

    private final List<Part> parts = new ArrayList<>(0);

    private record Part(Object savepoint, CommitWrites writes, Map<LockKey, RowLockMode> held) {
        Part(Object savepoint) {
            this(savepoint, new CommitWrites(), new HashMap<>());
        }
    }

    @Override
    public void savepoint(Object savepoint) {
        parts.add(new Part(savepoint));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // A savepoint that is not in the list was set before the first part.
        int first = Math.max(0, parts.stream().map(Part::savepoint).toList().indexOf(savepoint));
        parts.subList(first, parts.size()).clear();
        savepoint(savepoint);
    }

    void holds(LockKey key, RowLockMode mode) {
        last().held().merge(key, mode, (before, now) -> before.compareTo(now) < 0 ? before : now);
    }

    /**
     * Returns the given keys, except the keys that are certainly held in this mode or a stronger mode. A rollback to a
     * savepoint may have released some of the locks.
     */
    public List<LockKey> notHeld(Collection<? extends LockKey> keys, RowLockMode weakest) {
        List<LockKey> notHeld = new ArrayList<>(keys);
        for (Part part : parts) {
            notHeld.removeIf(key -> {
                RowLockMode mode = part.held().get(key);
                return mode != null && mode.compareTo(weakest) <= 0;
            });
        }
        return notHeld;
    }

    /** Returns the writes of the last part. The caller adds its writes to this object. */
    CommitWrites lastWrites() {
        return last().writes();
    }

    CommitWrites allWrites(RowLocks locks) {
        return parts.size() == 1
                ? last().writes()
                : LockAccess.of(locks).joined(parts.stream().map(Part::writes).toList());
    }

    private Part last() {
        if (parts.isEmpty()) {
            savepoint(BEFORE_ANY);
        }
        return parts.get(parts.size() - 1);
    }
}
