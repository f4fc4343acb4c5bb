package org.rowlock.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockOutcome;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.internal.commit.WriteFlushes;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.KeyModes;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.GroupSql;

/**
 * Has callers who wait for one key share a transaction. The leader, which is the one of them that has a connection, takes others from
 * the queue, and sends lock, the writes of each whole and in the order of the queue, and COMMIT as one call would. They share its
 * fate: it is done, or is known to be undone, and then each is done alone; or nobody knows, and all are told so.
 */
public final class Groups {
    /** So that what is sent fits into the buffers on the way, if the server stops reading until its answers are read. */
    private static final long MOST_BYTES = 64_000;

    /** How many statements of its own a group has. */
    private static final int OWN = 2;

    private final int largest;
    private final GroupSizes sizes;
    private final LockObserver observer;
    private final KeyNames names;

    /** Sends writes with the lock of the key and the COMMIT. */
    @FunctionalInterface
    public interface Flush {
        void send(LockWait wait, List<Write<?>> writes) throws SQLException;
    }

    /**
     * Groups.
     *
     * @param largest how many calls may share a transaction; 1 for none
     */
    public Groups(int largest, LockObserver observer, KeyNames names) {
        this.largest = largest;
        this.sizes = new GroupSizes(largest);
        this.observer = observer;
        this.names = names;
    }

    /** A call as one of a group, or null if it never is. */
    public @Nullable Member member(
            KeyModes keys, LockWait wait, LockStrategy strategy, boolean rowRequired, List<Write<?>> writes) {
        if (largest < 2
                || keys.keys().size() != 1
                || keys.strongest().isShared()
                || wait instanceof LockWait.NoWait
                || writes.isEmpty()) {
            return null;
        }
        long bytes = Member.bytes(writes);
        return bytes < 0 || bytes > MOST_BYTES
                ? null
                : new Member(keys.keys().get(0), keys.strongest(), wait, strategy, rowRequired, writes, bytes);
    }

    /** What of a group is decided while it is put together. */
    private final class Room {
        private final Member leader;
        private final PgSession session;
        private int executions;
        private long bytes;

        Room(Member leader, PgSession session) {
            this.leader = leader;
            this.session = session;
        }

        boolean takes(Object offer) {
            if (!(offer instanceof Member member)
                    || !member.fits(leader)
                    || executions + member.executions() > WriteFlushes.MOST_IN_ONE - OWN
                    || bytes + member.bytes() > MOST_BYTES
                    || !WriteFlushes.areChanges(session, member.writes())) {
                return false;
            }
            executions += member.executions();
            bytes += member.bytes();
            return true;
        }
    }

    /**
     * Does a call, and those of others who wait.
     *
     * @param entry its place in the queue of the key; null if it passed that by
     * @param connection whose transaction has not begun
     * @return false if it is to be done alone: nobody can go with it, or they have, and are undone
     */
    public boolean lead(Member leader, @Nullable QueueEntry entry, Connection connection, Flush flush)
            throws SQLException {
        int most = sizes.most(leader.key());
        // What was handed back is offered no more.
        if (entry == null || entry.offer() == null || most < 2 || connection.isClosed()) {
            return false;
        }
        PgSession session = PgSession.of(connection);
        Room room = new Room(leader, session);
        if (session.isSimpleQueryMode() || !room.takes(leader)) {
            return false;
        }
        List<QueueEntry> taken = entry.take(most - 1, room::takes, joining -> GroupSizes.rounded(1 + joining) - 1);
        return !taken.isEmpty() && send(leader, taken, connection, flush);
    }

    /** A call that led nobody is done. */
    public void doneAlone(Member member) {
        sizes.done(member.key(), 1);
    }

    private boolean send(Member leader, List<QueueEntry> taken, Connection connection, Flush flush) throws SQLException {
        List<Member> others = new ArrayList<>(taken.size());
        taken.forEach(each -> others.add((Member) Objects.requireNonNull(each.offer())));
        leader.begin(observer);
        others.forEach(each -> each.begin(observer));
        boolean undone = false;
        @Nullable CommitOutcomeUnknownException unknown = null;
        try {
            flush.send(wait(leader, others), writes(leader, others));
            sizes.done(leader.key(), taken.size() + 1);
        } catch (CommitOutcomeUnknownException e) {
            unknown = e;
            throw e;
        } catch (SQLException | LockException e) {
            undone = true;
            learn(leader.key(), taken.size() + 1, e);
            if (!isUsable(connection)) {
                leader.tell(observer, LockObserver.outcome(e));
                throw e;
            }
        } catch (Throwable e) {
            // Throwable, as an Error may come behind the COMMIT as well.
            unknown = unknown(leader.key(), e);
            throw e;
        } finally {
            if (undone) {
                taken.forEach(QueueEntry::handBack);
            } else {
                for (int i = 0; i < taken.size(); i++) {
                    others.get(i).decide(unknown);
                    taken.get(i).complete(null);
                }
                leader.tell(observer, outcome(unknown));
            }
        }
        return !undone;
    }

    /** Ends what is left of the transaction, so that its locks are not in the way of those who follow. */
    private static boolean isUsable(Connection connection) {
        try {
            connection.rollback();
            return !connection.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    private void learn(LockKey key, int size, Exception e) {
        if (e instanceof SQLException && GroupSql.isRefusal(e.getMessage())) {
            sizes.refused(key);
        } else if (!(e instanceof LockNotAvailableException)) {
            sizes.undone(key, size);
        }
    }

    /** The shortest, as each is promised its own. */
    private static LockWait wait(Member leader, List<Member> others) {
        if (!(leader.lockWait() instanceof LockWait.AtMost)) {
            return leader.lockWait();
        }
        long least = leader.remainingNanos();
        for (Member each : others) {
            least = Math.min(least, each.remainingNanos());
        }
        return least <= 0 ? LockWait.noWait() : LockWait.atMost(Duration.ofNanos(least));
    }

    private static List<Write<?>> writes(Member leader, List<Member> others) {
        List<Write<?>> writes = new ArrayList<>(leader.writes());
        // What is deferred to the COMMIT might be made good by the next one, which it would not be alone.
        Write<Void> constraints = new Write<>(GroupSql.CONSTRAINTS, null);
        constraints.execute();
        writes.add(constraints);
        for (Member each : others) {
            writes.addAll(each.copies());
        }
        String table = leader.key() instanceof LockKey.Row row ? row.table() : null;
        Write<Void> check = new Write<>(GroupSql.check(table != null), null);
        check.execute(GroupSql.binds(table));
        writes.add(check);
        return writes;
    }

    private CommitOutcomeUnknownException unknown(LockKey key, Throwable e) {
        return new CommitOutcomeUnknownException(
                "It is not known whether the work under the lock of " + names.of(key)
                        + " is stored: the thread that sent it for a group failed (" + e
                        + "). Do not run it again before you have looked: done twice is worse than done late.",
                new SQLException("The leader of the group failed", e));
    }

    /**
     * What became of a call that another has led; on its own thread.
     *
     * @throws CommitOutcomeUnknownException if that is not known for good
     */
    public void finish(Member member) {
        CommitOutcomeUnknownException failure = member.failure();
        member.tell(observer, outcome(failure));
        if (failure != null) {
            throw failure;
        }
    }

    private static LockOutcome outcome(@Nullable CommitOutcomeUnknownException unknown) {
        return unknown == null || unknown instanceof CommitNotConfirmedException
                ? LockOutcome.ACQUIRED
                : LockOutcome.FAILED;
    }
}
