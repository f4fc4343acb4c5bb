package org.rowlock.spring.internal.call;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;

/** What a transaction holds and is to send, in parts: a rollback to a savepoint takes those behind it away. */
final class SavepointParts {
    private static final Object BEFORE_ANY = "";

    private final List<Part> parts = new ArrayList<>(0);

    private record Part(Object savepoint, CommitWrites writes, Map<LockKey, RowLockMode> held) {
        Part(Object savepoint) {
            this(savepoint, new CommitWrites(), new HashMap<>());
        }
    }

    void begin(Object savepoint) {
        parts.add(new Part(savepoint));
    }

    void rollBackTo(Object savepoint) {
        // One that is not known was set before there was anything.
        int first = Math.max(0, parts.stream().map(Part::savepoint).toList().indexOf(savepoint));
        parts.subList(first, parts.size()).clear();
        begin(savepoint);
    }

    void holds(LockKey key, RowLockMode mode) {
        last().held().merge(key, mode, (before, now) -> before.compareTo(now) < 0 ? before : now);
    }

    Set<LockKey> notHeld(Collection<? extends LockKey> keys, RowLockMode weakest) {
        Set<LockKey> notHeld = new HashSet<>(keys);
        notHeld.removeIf(key -> parts.stream().anyMatch(part -> {
            RowLockMode mode = part.held().get(key);
            return mode != null && mode.compareTo(weakest) <= 0;
        }));
        return notHeld;
    }

    /** Those to add to. */
    CommitWrites writes() {
        return last().writes();
    }

    CommitWrites allWrites() {
        CommitWrites all = new CommitWrites();
        parts.forEach(part -> all.addAll(part.writes()));
        return all;
    }

    private Part last() {
        if (parts.isEmpty()) {
            begin(BEFORE_ANY);
        }
        return parts.get(parts.size() - 1);
    }
}
