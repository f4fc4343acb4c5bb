package org.rowlock.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.LockVerificationException;
import org.rowlock.RowlockException;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueueGroup;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.BoundedCache;
import org.rowlock.internal.sql.GroupSql;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/**
 * Runs, in one transaction, the writes of several callers that wait for the same key. The leader is an admitted caller
 * that has a connection. The leader takes other calls from the queue, and sends the lock, the writes of all calls in
 * queue order, and the COMMIT. If the transaction is rolled back, each call runs alone in its own transaction. If the
 * outcome is unknown, each caller gets a {@link CommitOutcomeUnknownException}.
 *
 * @param sessions for each connection, a text with the settings of its session
 * @param altered each host, database and role where an application has altered a session; all calls there run alone
 */
public record Groups(
        int largest,
        SharedTransactions shared,
        LockObserver observer,
        KnownTables tables,
        Map<Connection, String> sessions,
        Set<Object> altered) {
    /** The target table of each write, by the SQL of the write; empty if the write must not run in a group. */
    private static final BoundedCache<String, Optional<String>> TARGETS = new BoundedCache<>();

    public Groups(int largest, LockObserver observer, KnownTables tables) {
        this(
                largest,
                new SharedTransactions(largest),
                observer,
                tables,
                Collections.synchronizedMap(new WeakHashMap<>()),
                ConcurrentHashMap.newKeySet());
    }

    @FunctionalInterface
    public interface Sending {
        void send(LockWait wait, List<Write> writes) throws SQLException;
    }

    /** Returns a possible member of a group, or null if the call must run alone. */
    public @Nullable Member member(RequestParts request, List<Write> writes) {
        if (largest < 2
                || !request.inserts().isEmpty()
                || request.keys().size() != 1
                // A key has several rows if the request spells its id in several ways. A leader would lock the row of
                // only one spelling.
                || request.rows().size() > 1
                || RequestParts.isShared(request.mode())
                || request.lockWait().isNoWait()
                || writes.isEmpty()) {
            return null;
        }
        LockStrategy strategy = tables.strategyOf(request.keys());
        Set<String> targets = new HashSet<>();
        if (request.keys().get(0) instanceof LockKey.Row row) {
            targets.add(GroupRule.locked(row.table()));
        }
        boolean required = strategy != LockStrategy.ADVISORY && !request.isAbsentAllowed();
        for (Write write : writes) {
            Optional<String> target = TARGETS.get(write.sql(), sql -> Optional.ofNullable(GroupRule.target(sql)));
            // If the row is required, a DELETE runs alone, because later members of the group would find no row.
            if (target.isEmpty() || (required && GroupRule.isDelete(target.get()))) {
                observer.alone(request.keys().get(0), "statement");
                return null;
            }
            targets.add(target.get());
        }
        return new Member(request, strategy, required, writes, targets);
    }

    /**
     * Takes calls of waiting threads into the leader's transaction, which must not have begun. Returns an empty list if
     * the leader runs alone.
     *
     * @param entry the leader's entry in the queue of the key; null if the leader skipped the queue
     */
    public List<QueueEntry> take(Member leader, @Nullable QueueEntry entry, Connection connection) throws SQLException {
        int most = shared.most(leader.key);
        // If offer() is null, an earlier leader has given this call back after a failure, so the call runs alone.
        if (entry == null || entry.offer() == null || most < 2 || connection.isClosed()) {
            return List.of();
        }
        PgSession session = PgSession.of(connection);
        if (session.isSimpleQueryMode() || !leader.takes(leader, session)) {
            return List.of();
        }
        Object place = session.place();
        leader.session = altered.contains(place) ? "" : look(session);
        leader.seenBy = List.of(place, leader.session);
        if (leader.session.isEmpty()) {
            refused(leader, "session");
            return List.of();
        }
        leader.versions = new HashMap<>();
        for (String target : leader.targets) {
            String version = shared.look(
                    leader.seenBy, target, (sql, named) -> session.outsideTransaction(() -> session.ask(sql, named)));
            if (version.isEmpty()) {
                refused(leader, "table");
                return List.of();
            }
            leader.versions.put(target, version);
        }
        if (leader.isRowRequired && leader.key instanceof LockKey.Row row) {
            leader.required = tables.of(session, row.table());
        }
        return QueueGroup.take(
                entry,
                most - 1,
                offer -> offer instanceof Member member
                        && areKnown(leader, member.targets)
                        && leader.takes(member, session),
                joining -> SharedTransactions.rounded(1 + joining) - 1);
    }

    /** Returns a text with the settings of the session; an empty text if the session was altered. */
    private String look(PgSession session) throws SQLException {
        String known = sessions.get(session.driver());
        if (known == null) {
            known = session.outsideTransaction(() -> session.ask("select " + GroupSql.SESSION_VALUE));
            if (!known.isEmpty()) {
                sessions.put(session.driver(), known);
            }
        }
        return known;
    }

    /** Copies the cached descriptions of tables to the leader. Returns false if a description is missing. */
    private boolean areKnown(Member leader, Collection<String> targets) {
        for (String target : targets) {
            String version = shared.version(leader.seenBy, target);
            if (version == null) {
                return false;
            }
            leader.versions.put(target, version);
        }
        return true;
    }

    public void doneAlone(@Nullable Member member) {
        if (member != null) {
            shared.done(member.key, 1);
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
        SharedTransactions.Sending group = () -> {
            // The shortest remaining wait applies, so that no member waits longer than its own limit.
            LockWait shortest =
                    Collections.min(all.stream().map(Member::remaining).toList());
            sending.send(shortest, leader.writes(all, shortest));
            return number -> null;
        };
        boolean done;
        try {
            done = shared.lead(leader.key, taken, group, e -> isUndone(leader, all.size(), e));
        } catch (Throwable e) {
            leader.report(observer, Member.outcome(e));
            throw e;
        }
        if (done) {
            leader.report(observer, Member.outcome(null));
        }
        return done;
    }

    /** Whether nothing of a failed group is stored. Also adapts the allowed size of groups to the failure. */
    private boolean isUndone(Member leader, int size, Throwable e) {
        // After a LockVerificationException the group may be committed, because Rowlock checks some locks only after
        // the COMMIT.
        if (e instanceof CommitOutcomeUnknownException
                || e instanceof LockVerificationException
                || !(e instanceof SQLException || e instanceof RowlockException)) {
            return false;
        }
        String refusal = e instanceof SQLException ? GroupSql.refusal(e.getMessage()) : null;
        if (refusal != null && refusal.equals("table")) {
            shared.forgetTables();
            shared.undone(leader.key, size);
        } else if (refusal != null && !refusal.startsWith(GroupSql.ROW)) {
            refused(leader, refusal);
        } else if (!(e instanceof LockNotAvailableException)) {
            shared.undone(leader.key, size);
        }
        return true;
    }

    /**
     * Records why a group was refused. If the session of the leader was altered, the DataSource may alter other
     * sessions too. Therefore all calls with the same host, database and role run alone from now on.
     */
    private void refused(Member leader, String why) {
        if (why.equals("session")) {
            altered.add(leader.seenBy.get(0));
        }
        shared.refused(leader.key);
        observer.alone(leader.key, why);
    }
}
