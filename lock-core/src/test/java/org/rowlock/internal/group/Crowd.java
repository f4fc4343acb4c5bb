package org.rowlock.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TestDatabase;

/**
 * Callers that wait for row 1 of account in the queue of one JVM, in a known order, until they are let go: the first of
 * them then leads the others.
 */
public final class Crowd implements AutoCloseable {
    public static final LockKey KEY = LockKey.row("account", 1);

    private final RowLocks locks;
    private final DataSource dataSource;
    private final Connection holder;
    private final List<Caller> callers = new ArrayList<>();
    private final Caller opener;

    /** What a caller does. */
    @FunctionalInterface
    public interface Call {
        void run() throws Exception;
    }

    /** One of them. */
    public static final class Caller {
        public final Thread thread;
        private final CompletableFuture<Boolean> end = new CompletableFuture<>();

        Caller(Call call) {
            thread = new Thread(() -> {
                try {
                    call.run();
                    end.complete(Thread.currentThread().isInterrupted());
                } catch (Throwable e) {
                    end.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        public boolean isDone() {
            return end.isDone();
        }

        /** What it has thrown, or null. */
        public Throwable failure() throws Exception {
            return end.handle((done, failure) -> failure).get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }

        /** That it threw nothing; and whether it came back interrupted. */
        public boolean isInterrupted() throws Exception {
            return TestDatabase.result(end);
        }
    }

    private Crowd(RowLocks locks, DataSource dataSource, Connection holder, LockRequest held, LockRequest request)
            throws SQLException {
        this.locks = locks;
        this.dataSource = dataSource;
        this.holder = holder;
        holder.setAutoCommit(false);
        locks(LockStrategy.BOTH).in(holder).lock(held);
        // Not by execute, as it would lead those who come before it has its connection.
        opener = new Caller(() -> on(locks, dataSource).lock(request).inTransaction(locked -> null));
        awaitEntrants(1);
    }

    /** Locks that let in one at a time, so that the order is known. */
    public static RowLocksBuilder builder(int largest) {
        return LockAccess.builder().maxAdmittedPerKey(1).largestGroup(largest);
    }

    public static Crowd behind(TestDatabase database, RowLocks locks, DataSource dataSource) throws SQLException {
        return behind(database, locks, dataSource, forUpdate(KEY));
    }

    /** The same, of another key. */
    public static Crowd behind(TestDatabase database, RowLocks locks, DataSource dataSource, LockRequest request)
            throws SQLException {
        return behind(database, locks, dataSource, request, request);
    }

    /** The same, of a key whose row is that of the key which is held. */
    public static Crowd behind(
            TestDatabase database, RowLocks locks, DataSource dataSource, LockRequest held, LockRequest request)
            throws SQLException {
        return new Crowd(locks, dataSource, database.dataSource().getConnection(), held, request);
    }

    public static Crowd behind(TestDatabase database, RowLocks locks) throws SQLException {
        return behind(database, locks, database.dataSource());
    }

    /** What each of some calls that wait together has thrown, or null. */
    public static List<Throwable> failures(
            TestDatabase database, RowLocks locks, DataSource dataSource, CommitWrites... all) throws Exception {
        return failures(database, locks, dataSource, () -> {}, all);
    }

    /** The same, if something happens when all are there. */
    public static List<Throwable> failures(
            TestDatabase database, RowLocks locks, DataSource dataSource, Runnable meanwhile, CommitWrites... all)
            throws Exception {
        List<Caller> callers = new ArrayList<>();
        try (Crowd crowd = behind(database, locks, dataSource)) {
            for (CommitWrites each : all) {
                callers.add(crowd.add(each));
            }
            meanwhile.run();
        }
        List<Throwable> failures = new ArrayList<>();
        for (Caller each : callers) {
            failures.add(each.failure());
        }
        return failures;
    }

    /** How many of a table's rows each transaction has written, in the order of the first. */
    public static String transactions(TestDatabase database, String table) throws SQLException {
        return database.query("select string_agg(n::text, ' ' order by first) from"
                + " (select count(*) n, min(place) first from " + table + " group by xmin::text) t");
    }

    /** One more waits, behind the others. */
    public Caller add(CommitWrites writes) {
        return add(forUpdate(KEY), writes);
    }

    public Caller add(LockRequest request, CommitWrites writes) {
        return add(() -> on(locks, dataSource).lock(request).execute(writes));
    }

    public Caller add(Call call) {
        Caller caller = new Caller(call);
        callers.add(caller);
        // Behind the others, and not only on its way there.
        TestDatabase.await("a caller in the queue").until(() -> isQueued(caller.thread) || caller.isDone());
        return caller;
    }

    private static boolean isQueued(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        return blocker != null && blocker.getClass().getSimpleName().equals("KeyQueue");
    }

    private void awaitEntrants(int entrants) {
        TestDatabase.await("callers in the queue")
                .until(() -> LockAccess.of(locks).calls().queues().entrants().size() == entrants);
    }

    /** One has left. */
    public void left(Caller caller) throws Exception {
        assertThat(caller.failure()).isNotNull();
        callers.remove(caller);
        awaitEntrants(1 + callers.size());
    }

    /** Lets them go on, and waits until all have ended. */
    public void letGo() throws Exception {
        start();
        opener.failure();
        for (Caller each : callers) {
            each.failure();
        }
    }

    /** Lets them go on. */
    public void start() throws SQLException {
        holder.rollback();
    }

    @Override
    public void close() throws SQLException {
        try {
            letGo();
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("A caller did not end", e);
        }
        holder.close();
    }
}
