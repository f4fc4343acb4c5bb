package org.rowlock.internal.group;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.WaitNanos;

/**
 * One call that a group may do. Its own thread waits in the queue; if a leader takes it, the leader's thread sends its
 * writes.
 */
public final class Member {
    /**
     * So that what is sent fits into the buffers on the way, if the server stops reading until its answers are read.
     */
    private static final long MOST_BYTES = 64_000;

    /** About what a statement, and a value, take in a flush beside their text. */
    private static final int OVERHEAD_BYTES = 60;

    /** Of which it is known how much they take, and that to send them twice is to send the same. */
    private static final Set<String> KNOWN = Set.of("java.lang", "java.math", "java.time", "java.sql");

    final LockKey key;
    final LockWait bound;
    final List<Write> writes;

    /** Whether a row that does not exist is an error. */
    final boolean isRowRequired;

    private final int executions;
    private final long bytes;
    /** The tables that the writes change, and that of the key. */
    final Set<String> targets;

    /** What the server says of the connection on which it leads others; asked before it does. */
    String session = "";

    /** The same, and where that is connected to: what sees the same tables. */
    Object seenBy = "";

    /** The table of the row that each of its group requires; null if none does. Known before it leads others. */
    @Nullable
    RowTable required;

    /** With those of the group's own. */
    private int groupExecutions = 2;

    private long groupBytes;
    private final LockRequest request;
    private final LockStrategy strategy;
    private final long startNanos = System.nanoTime();
    private @Nullable Begun begun;

    Member(
            LockRequest request,
            LockWait bound,
            LockStrategy strategy,
            boolean isRowRequired,
            List<Write> writes,
            Set<String> targets) {
        this.key = request.keys().get(0);
        this.request = request;
        this.bound = bound;
        this.strategy = strategy;
        this.isRowRequired = isRowRequired;
        this.writes = writes;
        this.targets = targets;
        int count = 0;
        long size = 0;
        for (Write write : writes) {
            for (List<@Nullable Object> binds : write.executions()) {
                count++;
                size += OVERHEAD_BYTES + write.sql().length();
                size += binds.stream().mapToLong(Member::bytes).sum();
            }
        }
        this.executions = count;
        this.bytes = size;
    }

    /** About how much a value takes; very much, if nobody knows what sending it does. */
    private static long bytes(@Nullable Object bind) {
        long length = bind instanceof String text ? text.length() : bind instanceof byte[] array ? array.length : 0;
        boolean known = bind == null || bind instanceof byte[] || bind instanceof UUID || isKnown(bind.getClass());
        return known ? OVERHEAD_BYTES + 2 * length : Integer.MAX_VALUE;
    }

    /** An array is in the package of its elements. */
    private static boolean isKnown(Class<?> type) {
        return !type.isArray() && KNOWN.contains(type.getPackageName());
    }

    /** Whether one more, at first this one itself, goes into the group that it is to lead. */
    boolean takes(Object offer, PgSession session) {
        if (!(offer instanceof Member member)) {
            return false;
        }
        boolean fits = request.isAbsentAllowed() == member.request.isAbsentAllowed()
                && request.mode() == member.request.mode()
                && isSameId(key, member.key)
                && bound.isBounded() == member.bound.isBounded()
                && !member.remaining().isNoWait()
                && groupExecutions + member.executions <= Commit.MOST_IN_ONE
                && groupBytes + member.bytes <= MOST_BYTES
                && WriteForms.areChanges(session, member.writes);
        if (fits) {
            groupExecutions += member.executions;
            groupBytes += member.bytes;
        }
        return fits;
    }

    /** Keys are equal by their canonical ids, and a row is locked by the id as it was given. */
    private static boolean isSameId(LockKey key, LockKey other) {
        return !(key instanceof LockKey.Row row)
                || (other instanceof LockKey.Row otherRow && row.givenId().equals(otherRow.givenId()));
    }

    LockWait remaining() {
        return WaitNanos.remaining(bound, startNanos);
    }

    void begin(LockObserver observer) {
        begun = observer.begin(Kind.ACQUISITION);
    }

    /** Reports what became of it, once; on its own thread. */
    void tell(LockObserver observer, Outcome outcome) {
        observer.end(begun, request.keys(), request.mode(), strategy, bound, outcome);
    }
}
