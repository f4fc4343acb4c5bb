package org.rowlock.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.LockVerificationException;
import org.rowlock.LockWait;
import org.rowlock.RowlockException;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.commit.CommitErrors;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.GroupSizes;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.BoundedCache;
import org.rowlock.internal.sql.GroupSql;
import org.rowlock.internal.sql.LockCheckSql;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;
import org.rowlock.internal.value.WaitNanos;

/**
 * Runs the writes of several callers that wait for one key in one transaction. The leader is an admitted caller that
 * has a connection. The leader takes other calls from the queue, and sends the lock, the writes of all calls in queue
 * order, and the COMMIT. If the transaction is rolled back, each call runs alone in its own transaction. If the outcome
 * is unknown, each caller gets a {@link CommitOutcomeUnknownException}.
 *
 * @param sessions the server's description of each unaltered session, by connection
 */
public record Groups(
        int largest,
        SharedTransactions shared,
        LockObserver observer,
        KnownTables tables,
        Map<Connection, String> sessions) {
    /** The target table of each write, by the SQL of the write; empty if the write must not run in a group. */
    private static final BoundedCache<String, Optional<String>> TARGETS = new BoundedCache<>();

    public Groups(int largest, LockObserver observer, KnownTables tables) {
        this(
                largest,
                new SharedTransactions(largest),
                observer,
                tables,
                Collections.synchronizedMap(new WeakHashMap<>()));
    }

    @FunctionalInterface
    public interface Sending {
        void send(LockWait wait, List<Write> writes) throws SQLException;
    }

    /** Returns a possible member of a group, or null if the call must run alone. */
    public @Nullable Member member(RequestParts request, LockWait wait, List<Write> writes) {
        if (largest < 2
                || !request.inserts().isEmpty()
                || request.keys().size() != 1
                // Several rows of one key have ids in different spellings, and a leader would lock only the row of one
                // spelling.
                || request.rows().size() > 1
                || RequestParts.isShared(request.mode())
                || WaitNanos.isNoWait(wait)
                || writes.isEmpty()) {
            return null;
        }
        LockStrategy strategy = tables.config().strategyOf(request.keys());
        Set<String> targets = new HashSet<>();
        if (request.keys().get(0) instanceof LockKey.Row row) {
            targets.add(GroupRule.locked(row.table()));
        }
        boolean required = strategy != LockStrategy.ADVISORY && !request.isAbsentAllowed();
        for (Write write : writes) {
            Optional<String> target = TARGETS.get(write.sql(), sql -> Optional.ofNullable(GroupRule.target(sql)));
            // If the row is required, a DELETE runs alone, because later members of the group would find no row.
            if (target.isEmpty() || (required && WriteForm.keyword(write.sql()).equals("delete"))) {
                observer.alone(request.keys().get(0), "statement");
                return null;
            }
            targets.add(target.get());
        }
        return new Member(request, wait, strategy, required, writes, targets);
    }

    /**
     * Takes calls of waiting threads that can share the transaction of the leader. The transaction must not have begun.
     * Returns an empty list if the leader runs alone.
     *
     * @param entry the leader's entry in the queue of the key; null if the leader skipped the queue
     */
    public List<QueueEntry> take(Member leader, @Nullable QueueEntry entry, Connection connection) throws SQLException {
        int most = shared.sizes.most(leader.key);
        // A call without an offer must run alone, because an earlier leader has given the call back after a failure.
        if (entry == null || entry.offer() == null || most < 2 || connection.isClosed()) {
            return List.of();
        }
        PgSession session = PgSession.of(connection);
        if (session.isSimpleQueryMode() || !leader.takes(leader, session)) {
            return List.of();
        }
        leader.session = look(session);
        if (leader.session.isEmpty()) {
            refused(leader.key, "session");
            return List.of();
        }
        leader.seenBy = List.of(session.place(), leader.session);
        for (String target : leader.targets) {
            if (!shared.shares(
                    leader.seenBy,
                    target,
                    (sql, named) -> session.outsideTransaction(() -> session.askRow(sql, named)))) {
                refused(leader.key, "table");
                return List.of();
            }
        }
        if (leader.isRowRequired && leader.key instanceof LockKey.Row row) {
            leader.required = tables.of(session, row.table());
        }
        return entry.take(
                most - 1,
                offer -> offer instanceof Member member
                        && versions(leader, member.targets) != null
                        && leader.takes(member, session),
                joining -> GroupSizes.rounded(1 + joining) - 1);
    }

    /** Returns the server's description of the session; an empty text if the session was altered. */
    private String look(PgSession session) throws SQLException {
        String known = sessions.get(session.driver());
        if (known == null) {
            known = session.outsideTransaction(() -> session.ask(GroupSql.SESSION_VALUE));
            if (!known.isEmpty()) {
                sessions.put(session.driver(), known);
            }
        }
        return known;
    }

    /** Returns the descriptions of tables, in the order of their oids; null if one description is unknown. */
    private @Nullable Map<Long, String> versions(Member leader, Collection<String> targets) {
        Map<Long, String> versions = new TreeMap<>();
        for (String target : targets) {
            String version = shared.version(leader.seenBy, target);
            if (version == null) {
                return null;
            }
            versions.put(Long.valueOf(version.substring(0, version.indexOf(' '))), version);
        }
        return versions;
    }

    public void doneAlone(@Nullable Member member) {
        if (member != null) {
            shared.sizes.done(member.key, 1);
        }
    }

    /**
     * Sends the calls of all members in one transaction.
     *
     * @return false if the transaction is rolled back, so that each call must run alone. The pool may have closed the
     *     leader's connection because of the error
     */
    public boolean send(Member leader, List<QueueEntry> taken, Sending sending) throws SQLException {
        List<Member> all = new ArrayList<>(List.of(leader));
        taken.forEach(each -> all.add((Member) Objects.requireNonNull(each.offer())));
        all.forEach(each -> each.begin(observer));
        SharedTransactions.Sending<SQLException> group = new SharedTransactions.Sending<>() {
            @Override
            public List<? extends @Nullable Object> send() throws SQLException {
                // The shortest remaining wait applies, so that no member waits longer than its own limit.
                sending.send(Collections.min(all.stream().map(Member::remaining).toList()), writes(all));
                return Collections.<@Nullable Object>nCopies(taken.size(), null);
            }

            @Override
            public boolean isUndone(Throwable e) {
                // After a LockVerificationException the group may be committed, because Rowlock checks some locks only
                // after the COMMIT.
                boolean known = e instanceof SQLException
                        || (e instanceof RowlockException && !(e instanceof LockVerificationException));
                boolean undone = known && !(e instanceof CommitOutcomeUnknownException);
                if (undone) {
                    learn(leader.key, all.size(), e);
                }
                return undone;
            }
        };
        boolean done;
        try {
            done = shared.lead(leader.key, taken, group);
        } catch (Throwable e) {
            leader.report(observer, outcome(e));
            throw e;
        }
        if (done) {
            leader.report(observer, outcome(null));
        }
        return done;
    }

    /**
     * Returns a new exception for a member, because callers may modify exceptions. Called on the member's own thread,
     * because the creation of an exception may fail.
     */
    private CommitOutcomeUnknownException ofMember(Member member, Throwable failure) {
        if (!(failure instanceof CommitOutcomeUnknownException e)) {
            return new CommitErrors(List.of(member.key))
                    .unknownOf("the thread that sent the work for a group", failure);
        }
        String message = e.getMessage() + " The work was part of a group, whose leader sent it.";
        SQLException cause = e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getMessage(), e);
        String state = e.sqlState().orElse(null);
        return e instanceof CommitNotConfirmedException
                ? new CommitNotConfirmedException(message, state, cause)
                : new CommitOutcomeUnknownException(message, state, cause);
    }

    private void learn(LockKey key, int size, Throwable e) {
        String refusal = e instanceof SQLException ? GroupSql.refusal(e.getMessage()) : null;
        if (refusal != null && refusal.equals("table")) {
            shared.forgetTables();
            shared.sizes.undone(key, size);
        } else if (refusal != null && !refusal.startsWith(GroupSql.ROW)) {
            refused(key, refusal);
        } else if (!(e instanceof LockNotAvailableException)) {
            shared.sizes.undone(key, size);
        }
    }

    private void refused(LockKey key, String why) {
        shared.sizes.refused(key);
        observer.alone(key, why);
    }

    private List<Write> writes(List<Member> all) {
        List<Write> writes = new ArrayList<>();
        Set<String> targets = new HashSet<>();
        for (Member each : all) {
            writes.addAll(each.writes);
            targets.addAll(each.targets);
        }
        Member leader = all.get(0);
        Map<Long, String> versions = versions(leader, targets);
        // Another thread may have discarded the descriptions of the tables meanwhile. Without the descriptions, the
        // check at the server refuses the group.
        Map<Long, String> sent = versions == null ? Map.of() : versions;
        String oids = sent.keySet().stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
        if (leader.required != null && leader.key instanceof LockKey.Row row) {
            List<@Nullable Object> binds = new ArrayList<>(RowKey.givenId(row));
            binds.add(LockCheckSql.mark());
            writes.add(new Write(GroupSql.requires(RowSql.existingId(leader.required))).again(binds.toArray()));
        }
        writes.add(new Write(GroupSql.CHECK)
                .again(leader.session, oids, String.join(";", sent.values()), LockCheckSql.mark(), leader.session));
        return writes;
    }

    /**
     * Reports the outcome of a call that a leader has run, and throws an exception if the outcome is unknown. Called on
     * the member's own thread.
     */
    public void finish(Member member, QueueEntry.Served served) {
        Throwable failure = served.failure();
        member.report(observer, outcome(failure));
        if (failure != null) {
            CommitOutcomeUnknownException own = ofMember(member, failure);
            member.writes.forEach(write -> write.outcomeUnknown(own));
            throw own;
        }
    }

    private static Outcome outcome(@Nullable Throwable unknown) {
        return unknown == null || unknown instanceof CommitNotConfirmedException ? Outcome.ACQUIRED : Outcome.FAILED;
    }
}
