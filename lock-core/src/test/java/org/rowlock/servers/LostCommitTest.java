package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/**
 * A connection that is lost somewhere in a flush with the COMMIT: what is run again after a look is never stored twice,
 * and what is acknowledged is never missing.
 */
@Tag("long")
class LostCommitTest {
    private static final int THREADS = 8;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            1000,
            "create table other(id int primary key, balance bigint not null default 0)",
            "insert into other select g from generate_series(1, 1000) g",
            "create table payment(id bigint)",
            "create index on payment(id)");

    /** Where the flush is when its connection is lost. */
    private enum Phase {
        BEFORE_SENDING,
        WAITING_FOR_THE_KEY,
        WAITING_FOR_THE_ROW,
        WAITING_IN_A_WRITE,
        BEHIND_COMMIT;

        boolean isWait() {
            return this == WAITING_FOR_THE_KEY || this == WAITING_FOR_THE_ROW || this == WAITING_IN_A_WRITE;
        }

        boolean isPossible(LockStrategy strategy) {
            return switch (this) {
                case WAITING_FOR_THE_KEY -> strategy != LockStrategy.ROW;
                case WAITING_FOR_THE_ROW -> strategy != LockStrategy.ADVISORY;
                default -> true;
            };
        }
    }

    /** How a connection is lost in a wait. */
    private enum Loss {
        /** The network ends it, at both sides. */
        CUT,
        /** The client closes its socket. */
        CLOSED,
        /** A firewall forgets it: the client gives up after its socketTimeout, and the server is told nothing. */
        DROPPED,
        /** The client gives up after its socketTimeout. */
        TIMEOUT,
        /** A virtual thread is interrupted, and the JDK closes its socket. */
        INTERRUPTED,
        /** An administrator ends the server process. */
        TERMINATED
    }

    /** What is sent with the COMMIT. */
    private enum Way {
        EXECUTE,
        COMMIT
    }

    /** Who is told that the outcome is unknown looks, and runs it again where it is not there. */
    private enum Look {
        /** At once, and without a lock. */
        IMPATIENT,
        UNDER_THE_LOCK
    }

    private record Case(
            int id, LockStrategy strategy, LockRelease release, Way way, Phase phase, Loss loss, Look look) {}

    private static List<Case> cases(Random random) {
        List<Case> cases = new ArrayList<>();
        for (LockStrategy strategy : LockStrategy.values()) {
            for (Phase phase : Phase.values()) {
                if (!phase.isPossible(strategy)) {
                    continue;
                }
                for (Loss loss : phase.isWait() ? List.of(Loss.values()) : List.of(Loss.CUT)) {
                    if (loss == Loss.INTERRUPTED && Runtime.version().feature() < 21) {
                        continue;
                    }
                    Way way = phase == Phase.WAITING_IN_A_WRITE ? any(random, Way.values()) : Way.EXECUTE;
                    LockRelease release = any(random, LockRelease.values());
                    // The queue of a row is not kept in order by the server.
                    Look look = phase == Phase.WAITING_FOR_THE_ROW ? Look.IMPATIENT : any(random, Look.values());
                    cases.add(new Case(cases.size() + 1, strategy, release, way, phase, loss, look));
                }
            }
        }
        Collections.shuffle(cases, random);
        return cases;
    }

    private static <T> T any(Random random, T[] of) {
        return of[random.nextInt(of.length)];
    }

    @Test
    void whatIsRunAgainAfterALookIsStoredOnce() throws Exception {
        long seed = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<String>> results = new ArrayList<>();
            for (Case each : cases(new Random(seed))) {
                results.add(threads.submit(() -> run(each)));
            }
            List<String> wrong = new ArrayList<>();
            for (Future<String> result : results) {
                String found = result.get();
                if (!found.isEmpty()) {
                    wrong.add(found);
                }
            }
            assertThat(wrong).as("seed " + seed).isEmpty();
        } finally {
            threads.shutdownNow();
        }
    }

    private String name(Case each) {
        return database.schema() + "_" + each.id();
    }

    private static LockKey key(Case each) {
        return LockKey.row("account", each.id());
    }

    private String run(Case each) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(each.strategy())
                .release(each.release())
                .build();
        String told;
        try (TcpProxy proxy = TcpProxy.to(database.dataSource());
                Connection holder = begin(database.dataSource());
                Connection writer = connect(each, proxy)) {
            // What is known of the database comes with the first flush that commits.
            on(locks, OneConnection.of(writer)).lock(forUpdate(key(each))).execute(pay(each, 0));
            hold(each, holder);
            Throwable failure = lose(locks, each, proxy, writer);
            told = failure == null ? "nothing" : failure.getClass().getSimpleName();
            CompletableFuture<Void> again = failure == null
                    ? CompletableFuture.completedFuture(null)
                    : Threads.start(() -> {
                        lookAndRunAgain(locks, each, failure instanceof CommitOutcomeUnknownException);
                        return null;
                    });
            awaitWaitingOrDone(name(each) + "_again", again);
            holder.rollback();
            TestDatabase.result(again);
        }
        awaitGone(each);
        String stored = database.query("select count(*) from payment where id = " + each.id());
        return stored.equals("1") ? "" : each + ": told " + told + " and stored " + stored + " times";
    }

    private Connection connect(Case each, TcpProxy proxy) throws Exception {
        boolean direct = each.loss() == Loss.CLOSED || each.loss() == Loss.TIMEOUT || each.loss() == Loss.INTERRUPTED;
        PGSimpleDataSource from = direct ? database.dataSource() : proxy.through(database.dataSource());
        from.setApplicationName(name(each));
        if (each.loss() == Loss.DROPPED || each.loss() == Loss.TIMEOUT) {
            from.setSocketTimeout(1);
        }
        return from.getConnection();
    }

    /** Holds what the flush is to wait for. */
    private static void hold(Case each, Connection holder) throws SQLException {
        RowLocks advisory = locks(LockStrategy.ADVISORY);
        RowLocks row = locks(LockStrategy.ROW);
        switch (each.phase()) {
            case WAITING_FOR_THE_KEY -> advisory.in(holder).lock(forUpdate(key(each)));
            case WAITING_FOR_THE_ROW -> row.in(holder).lock(forUpdate(key(each)));
            case WAITING_IN_A_WRITE -> row.in(holder).lock(forUpdate(LockKey.row("other", each.id())));
            case BEFORE_SENDING, BEHIND_COMMIT -> {}
        }
    }

    private static CommitWrites pay(Case each, int payment) {
        CommitWrites writes = new CommitWrites();
        writes.add("update other set balance = balance + 1 where id = ?", each.id());
        writes.add("insert into payment values (?)", payment);
        writes.add("update account set balance = balance + 1 where id = ?", each.id())
                .expectOneRow();
        return writes;
    }

    private static void write(RowLocks locks, Case each, DataSource from, CommitWrites writes) throws SQLException {
        if (each.way() == Way.EXECUTE) {
            on(locks, from).lock(forUpdate(key(each))).execute(writes);
            return;
        }
        try (Connection connection = begin(from)) {
            locks.in(connection).lock(forUpdate(key(each)));
            locks.in(connection).commit(writes);
        }
    }

    private void lookAndRunAgain(RowLocks locks, Case each, boolean unknown) throws Exception {
        PGSimpleDataSource from = database.dataSource();
        from.setApplicationName(name(each) + "_again");
        String look = "select count(*) from payment where id = " + each.id();
        if (each.look() == Look.IMPATIENT || !unknown) {
            if (!unknown || database.query(look).equals("0")) {
                on(locks, from).lock(forUpdate(key(each))).execute(pay(each, each.id()));
            }
            return;
        }
        on(locks, from).lock(forUpdate(key(each))).inTransaction(tx -> {
            if (TestDatabase.query(tx.connection(), look).equals("0")) {
                tx.atCommit("insert into payment values (?)", each.id());
            }
            return true;
        });
    }

    /** Runs a flush and loses its connection on the way. Returns what it has thrown, or null. */
    private Throwable lose(RowLocks locks, Case each, TcpProxy proxy, Connection writer) throws Exception {
        switch (each.phase()) {
            case BEFORE_SENDING -> proxy.cutBefore("insert into payment");
            case BEHIND_COMMIT -> proxy.cutAfter("COMMIT");
            default -> {}
        }
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread thread = thread(
                each.loss() == Loss.INTERRUPTED,
                () -> failure.complete(
                        catchThrowable(() -> write(locks, each, OneConnection.of(writer), pay(each, each.id())))));
        if (each.phase().isWait()) {
            awaitWaiting(name(each));
            switch (each.loss()) {
                case CUT -> proxy.cutAll();
                case CLOSED -> writer.abort(Runnable::run);
                case DROPPED -> proxy.dropAll();
                case TIMEOUT -> {}
                case INTERRUPTED -> thread.interrupt();
                case TERMINATED ->
                    database.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = '"
                            + name(each) + "'");
            }
        }
        return TestDatabase.result(failure);
    }

    private static Thread thread(boolean virtual, Runnable body) throws ReflectiveOperationException {
        if (virtual) {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        }
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private String sessions(String name, String which) throws SQLException {
        return database.query(
                "select count(*) from pg_stat_activity where application_name = '" + name + "' and " + which);
    }

    private void awaitWaiting(String name) {
        awaitWaitingOrDone(name, new CompletableFuture<>());
    }

    private void awaitWaitingOrDone(String name, CompletableFuture<?> done) {
        TestDatabase.await(name + " waits")
                .until(() -> done.isDone()
                        || !sessions(name, "wait_event_type = 'Lock'").equals("0"));
    }

    private void awaitGone(Case each) {
        TestDatabase.await("the server is done with " + each)
                .until(() -> sessions(name(each), "state <> 'idle'").equals("0"));
    }
}
