package org.rowlock.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.CommitErrors;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.GroupSizes;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.GroupSql;
import org.rowlock.internal.sql.GuardSql;

/**
 * Has callers who wait for one key share a transaction. The leader, which is the one of them that has a connection,
 * takes others from the queue, and sends lock, the writes of each whole and in the order of the queue, and COMMIT as
 * one call would. They share its fate: it is done, or is known to be undone, and then each is done alone; or nobody
 * knows, and each gets that error.
 *
 * @param largest how many calls may share a transaction; 1 for none
 */
public record Groups(int largest, GroupSizes sizes, LockObserver observer, KeyNames names) {
    /** Sets for its transaction, and so for those of others, whatever statement it stands in. */
    private static final Pattern SETS = Pattern.compile("set_config", Pattern.CASE_INSENSITIVE);

    /** Locks, writes and commits. */
    @FunctionalInterface
    public interface Sending {
        void send(LockWait wait, List<Write> writes) throws SQLException;
    }

    /** A call as one of a group, or null if it never is. */
    public @Nullable Member member(LockRequest request, LockWait wait, LockStrategy strategy, List<Write> writes) {
        if (largest < 2
                || request.keys().size() != 1
                // Two spellings of one key, of which a leader locks its own alone.
                || request.rows().size() > 1
                || request.mode().isShared()
                || wait.isNoWait()
                || writes.isEmpty()
                || writes.stream().anyMatch(write -> SETS.matcher(write.sql()).find())) {
            return null;
        }
        return new Member(request, wait, strategy, writes);
    }

    /**
     * Takes the calls of waiting threads that can go with that of a leader, on a connection whose transaction has not
     * begun; none, if it is to go alone.
     *
     * @param entry its place in the queue of the key; null if it passed that by
     */
    public List<QueueEntry> take(Member leader, @Nullable QueueEntry entry, Connection connection) throws SQLException {
        int most = sizes.most(leader.key);
        // What was handed back is offered no more.
        if (entry == null || entry.offer() == null || most < 2 || connection.isClosed()) {
            return List.of();
        }
        PgSession session = PgSession.of(connection);
        if (session.isSimpleQueryMode() || !leader.takes(leader, session)) {
            return List.of();
        }
        return entry.take(
                most - 1, offer -> leader.takes(offer, session), joining -> GroupSizes.rounded(1 + joining) - 1);
    }

    /** A call was done alone, that of a member or another. */
    public void doneAlone(@Nullable Member member) {
        if (member != null) {
            sizes.done(member.key, 1);
        }
    }

    /**
     * Does the calls of a group.
     *
     * @return false if they are undone: each is to be done alone, the leader's on another connection if the pool has
     *     closed this one for an error, which may be that of any of them
     */
    public boolean send(Member leader, List<QueueEntry> taken, Sending sending) throws SQLException {
        List<Member> all = new ArrayList<>(List.of(leader));
        taken.forEach(each -> all.add((Member) Objects.requireNonNull(each.offer())));
        all.forEach(each -> each.begin(observer));
        taken.forEach(QueueEntry::sent);
        try {
            // The shortest wait, as each is promised its own.
            LockWait wait = Collections.min(all.stream().map(Member::remaining).toList());
            sending.send(wait, writes(all));
        } catch (Throwable e) {
            // Throwable, as an Error may come behind the COMMIT as well.
            boolean known = e instanceof SQLException || e instanceof RowlockException;
            if (known && !(e instanceof CommitOutcomeUnknownException)) {
                learn(leader.key, all.size(), e);
                taken.forEach(QueueEntry::handBack);
                return false;
            }
            taken.forEach(each -> each.fail(e));
            leader.tell(observer, outcome(e));
            throw e;
        }
        taken.forEach(each -> each.complete(null));
        sizes.done(leader.key, all.size());
        leader.tell(observer, outcome(null));
        return true;
    }

    /** Each has an exception of its own, as callers add to them; made by its own thread, as that may fail too. */
    private CommitOutcomeUnknownException ofMember(Member member, Throwable failure) {
        if (!(failure instanceof CommitOutcomeUnknownException e)) {
            return new CommitErrors(List.of(member.key), names)
                    .unknownOf("the thread that sent it for a group", failure);
        }
        String message = e.getMessage() + " It was in a group with others, whose leader sent it.";
        SQLException cause = e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getMessage(), e);
        String state = e.sqlState().orElse(null);
        return e instanceof CommitNotConfirmedException
                ? new CommitNotConfirmedException(message, state, cause)
                : new CommitOutcomeUnknownException(message, state, cause);
    }

    private void learn(LockKey key, int size, Throwable e) {
        if (e instanceof SQLException && GroupSql.isRefusal(e.getMessage())) {
            sizes.refused(key);
        } else if (!(e instanceof LockNotAvailableException)) {
            sizes.undone(key, size);
        }
    }

    private static List<Write> writes(List<Member> all) {
        List<Write> writes = new ArrayList<>(all.get(0).writes);
        // What is deferred to the COMMIT might be made good by the next one, which it would not be alone.
        writes.add(new Write(GroupSql.CONSTRAINTS).and());
        all.subList(1, all.size()).forEach(each -> writes.addAll(each.writes));
        String table = all.get(0).key instanceof LockKey.Row row ? row.table() : "";
        writes.add(new Write(GroupSql.CHECK).and(table, GuardSql.mark()));
        return writes;
    }

    /** What became of a call that another has led; on its own thread. Throws if that is not known for good. */
    public void finish(Member member, QueueEntry.Served served) {
        Throwable failure = served.failure();
        member.tell(observer, outcome(failure));
        if (failure != null) {
            CommitOutcomeUnknownException own = ofMember(member, failure);
            member.writes.forEach(write -> write.untold(own));
            throw own;
        }
    }

    private static Outcome outcome(@Nullable Throwable unknown) {
        return unknown == null || unknown instanceof CommitNotConfirmedException ? Outcome.ACQUIRED : Outcome.FAILED;
    }
}
