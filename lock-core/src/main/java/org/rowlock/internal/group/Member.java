package org.rowlock.internal.group;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.internal.commit.CommitErrors;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.QueueGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.GroupSql;
import org.rowlock.internal.sql.LockCheckSql;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/** One call whose writes the leader of a group may send; see {@link Groups}. */
public final class Member {
    final LockKey key;
    final LockWait bound;
    final List<Write> writes;

    final boolean isRowRequired;

    private final int executions;
    private final long bytes;
    /** The tables that the writes change, and the table of the key. */
    final Set<String> targets;

    /** A text with the settings of the session. Set before this member leads. */
    String session = "";

    /**
     * The host, database and role of the leader, and {@link #session}. Sessions with equal values see the same tables.
     */
    List<Object> seenBy = List.of();

    /** The descriptions of all tables in the members' {@link #targets}, by name. Set before this member leads. */
    Map<String, String> versions = Map.of();

    /** The table of the row that must exist; null if an absent row is no error. Set before this member leads. */
    @Nullable
    RowTable required;

    /** The number of executions in the group, including up to four statements of the group itself. */
    private int groupExecutions = 4;

    /** The approximate size of the group in bytes, including the statements of the group itself. */
    private long groupBytes = 8_000;

    private final RequestParts request;
    private final LockStrategy strategy;
    private final long startNanos = System.nanoTime();
    private @Nullable Begun begun;

    Member(
            RequestParts request,
            LockStrategy strategy,
            boolean isRowRequired,
            List<Write> writes,
            Set<String> targets) {
        this.key = request.keys().get(0);
        this.request = request;
        this.bound = request.lockWait();
        this.strategy = strategy;
        this.isRowRequired = isRowRequired;
        this.writes = writes;
        this.targets = targets;
        int count = 0;
        long size = 0;
        for (Write write : writes) {
            for (List<@Nullable Object> binds : write.executions()) {
                count++;
                size += Part.bytes(write.sql(), binds);
            }
        }
        this.executions = count;
        this.bytes = size;
    }

    /** Adds an offered call to this leader's group, if the call fits. The leader first adds itself. */
    boolean takes(Object offer, PgSession session) {
        if (!(offer instanceof Member member)) {
            return false;
        }
        boolean fits = request.isAbsentAllowed() == member.request.isAbsentAllowed()
                && request.mode() == member.request.mode()
                && isSameId(key, member.key)
                && bound.isBounded() == member.bound.isBounded()
                && !member.remaining().isNoWait()
                && groupExecutions + member.executions <= WriteForms.MOST_IN_ONE
                && groupBytes + member.bytes <= WriteForms.MOST_BYTES
                && WriteForms.areChanges(session, member.writes);
        if (fits) {
            groupExecutions += member.executions;
            groupBytes += member.bytes;
        }
        return fits;
    }

    /** Whether the ids of two equal keys have the same spelling. A row lock uses the spelling that the caller gave. */
    private static boolean isSameId(LockKey key, LockKey other) {
        return !(key instanceof LockKey.Row row)
                || (other instanceof LockKey.Row otherRow && RowKey.givenId(row).equals(RowKey.givenId(otherRow)));
    }

    LockWait remaining() {
        return bound.remaining(startNanos);
    }

    void begin(LockObserver observer) {
        begun = observer.begin(Kind.ACQUISITION);
    }

    /** Reports the outcome to the observer. Called once, on the member's own thread. */
    void report(LockObserver observer, Outcome outcome) {
        observer.end(begun, request.keys(), request.mode(), strategy, bound, outcome);
    }

    /**
     * Returns a new exception for a member, because callers may modify exceptions. Called on the member's own thread,
     * because the creation of an exception may fail.
     */
    private CommitOutcomeUnknownException own(Throwable failure) {
        if (!(failure instanceof CommitOutcomeUnknownException e)) {
            return new CommitErrors(List.of(key)).unknownOf("the thread that sent the work for a group", failure);
        }
        String message = e.getMessage() + " The work was part of a group, whose leader sent it.";
        SQLException cause = e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getMessage(), e);
        String state = e.sqlState().orElse(null);
        return e instanceof CommitNotConfirmedException
                ? new CommitNotConfirmedException(message, state, cause)
                : new CommitOutcomeUnknownException(message, state, cause);
    }

    /** Returns all writes of the group that this member leads, and the statements of Rowlock around them. */
    List<Write> writes(List<Member> all, LockWait shortest) {
        List<Write> sent = new ArrayList<>();
        boolean bounded = bound.isBounded();
        if (bounded) {
            sent.add(new Write(GroupSql.BOUND).again(Math.max(1, shortest.millis())));
        }
        all.forEach(each -> sent.addAll(each.writes));
        if (bounded) {
            sent.add(new Write(GroupSql.UNBOUND).again());
        }
        Map<Long, String> byOid = new TreeMap<>();
        for (String version : versions.values()) {
            byOid.put(Long.valueOf(version.substring(0, version.indexOf(' '))), version);
        }
        if (required != null && key instanceof LockKey.Row row) {
            List<@Nullable Object> binds = new ArrayList<>(RowKey.givenId(row));
            binds.add(LockCheckSql.mark());
            sent.add(new Write(GroupSql.requires(RowSql.look(required))).again(binds.toArray()));
        }
        sent.add(new Write(GroupSql.CHECK)
                .again(
                        session,
                        String.join(String.valueOf(IdText.SEPARATOR), versions.keySet()),
                        String.join(";", byOid.values()),
                        LockCheckSql.mark(),
                        session));
        return sent;
    }

    /**
     * Reports the outcome of a call that a leader has run, and throws an exception if the outcome is unknown. Called on
     * the member's own thread.
     */
    public void finish(LockObserver observer, QueueGroup.Served served) {
        Throwable failure = served.failure();
        report(observer, outcome(failure));
        if (failure != null) {
            CommitOutcomeUnknownException own = own(failure);
            writes.forEach(write -> write.outcomeUnknown(own));
            throw own;
        }
    }

    static Outcome outcome(@Nullable Throwable unknown) {
        return unknown == null || unknown instanceof CommitNotConfirmedException ? Outcome.ACQUIRED : Outcome.FAILED;
    }
}
