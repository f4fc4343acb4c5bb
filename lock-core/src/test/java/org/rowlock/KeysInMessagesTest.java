package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.TestDatabase.execute;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.util.PSQLException;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** Every exception names the key of its lock. */
@Tag("long")
class KeysInMessagesTest {
    private static final String TEXT = "customer-with-a-long-name";
    private static final long NUMBER = 4_711_471_147L;
    private static final LockKey KEY = LockKey.row("account", TEXT);
    private static final LockKey OTHER = LockKey.row("account", TEXT + "-too");

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id text primary key, balance bigint not null default 0)",
            "insert into account values ('" + TEXT + "'), ('" + TEXT + "-too')",
            "create table orders(id bigint primary key)",
            "create table host(id inet primary key)",
            "create table meddled(id int)",
            "create function meddle() returns trigger language plpgsql as $$ begin perform set_config('rowlock.commit',"
                    + " left(current_setting('rowlock.commit'), 17) || 'nothing', false); return null; end $$",
            "create constraint trigger meddle after insert on meddled deferrable initially deferred for each row"
                    + " execute function meddle()",
            "create function full_table() returns int language plpgsql as" + " $$ begin raise exception '" + TEXT
                    + "' using errcode = '53200'; end $$");

    private TcpProxy proxy;
    private Session alice;
    private Session bob;

    @BeforeEach
    void start() throws Exception {
        proxy = database.closing(TcpProxy.to(database.dataSource()));
        alice = database.session("alice");
        bob = database.session("bob");
    }

    /** How to come by an exception. */
    @FunctionalInterface
    private interface Case {
        Throwable of(RowLocks locks) throws Exception;
    }

    private Map<String, Case> cases(LockStrategy strategy) {
        Map<String, Case> cases = new LinkedHashMap<>();
        cases.put("held", locks -> held(locks, forUpdate(KEY).noWait()));
        cases.put("held for too long", locks -> held(locks, forUpdate(KEY).atMost(Duration.ofMillis(20))));
        cases.put(
                "one of several held",
                locks -> held(locks, forUpdate(List.of(OTHER, KEY)).noWait()));
        cases.put("lock_timeout", locks -> {
            bob.execute("set local lock_timeout = '20ms'");
            return held(locks, forUpdate(KEY));
        });
        cases.put("canceled", this::canceled);
        cases.put("deadlock", this::deadlock);
        cases.put("row changed since the snapshot", this::stale);
        cases.put("read-only", locks -> {
            bob.execute("set transaction read only");
            return failure(locks, KEY);
        });
        cases.put("connection lost", locks -> {
            Session lost = database.session("lost");
            lost.execute("select 1");
            lost.terminate();
            return startLock(lost, locks, forUpdate(KEY)).failure();
        });
        cases.put(
                "lock table full",
                locks -> failure(c -> locks.in(c).lockAndRead(forUpdate(KEY), "select full_table()", r -> 1)));
        cases.put("no such table", locks -> failure(locks, LockKey.row("nothing", TEXT)));
        cases.put(
                "a write at the commit that finds no row",
                locks -> failure(c -> {
                    CommitWrites writes = new CommitWrites();
                    writes.add("delete from account where id = '" + TEXT + "-gone'")
                            .expectOneRow();
                    locks.in(c).commit(writes);
                    return null;
                }));
        cases.put("too many parts", locks -> failure(locks, LockKey.row("account", TEXT, 1)));
        cases.put("no value of the type", locks -> failure(locks, LockKey.row("orders", "0" + NUMBER)));
        cases.put("out of range", locks -> failure(locks, LockKey.row("orders", NUMBER + "000000000000000")));
        if (strategy != LockStrategy.ADVISORY) {
            cases.put("required and absent", locks -> failure(locks, LockKey.row("account", TEXT + "-gone")));
        }
        if (strategy == LockStrategy.ROW) {
            cases.put("a type that only the server knows", locks -> failure(locks, LockKey.row("host", TEXT)));
        } else {
            cases.put(
                    "budget",
                    locks -> failure(c -> locks.in(c).lock(forUpdate(List.of(KEY, OTHER, LockKey.name(TEXT))))));
        }
        cases.put("a name", locks -> {
            lock(alice, locks, forUpdate(LockKey.name(TEXT)));
            return failure(c -> locks.in(c).lock(forUpdate(LockKey.name(TEXT)).noWait()));
        });
        cases.put("a number", locks -> {
            lock(alice, locks, forUpdate(LockKey.number(NUMBER)));
            return failure(
                    c -> locks.in(c).lock(forUpdate(LockKey.number(NUMBER)).noWait()));
        });
        cases.put("the wait in the queue is over", this::queued);
        cases.put("an outer call holds the key", locks -> {
            try (KeyEntries outer = enter(locks)) {
                assertThat(outer.isQueued()).isTrue();
                return catchThrowable(() -> enter(locks));
            }
        });
        cases.put("interrupted in the queue", this::interrupted);
        cases.put("the queue is full", this::rejected);
        cases.put(
                "work that catches an error",
                locks -> inTransaction(
                        locks,
                        database.dataSource(),
                        tx -> catchThrowable(
                                () -> execute(tx.connection(), "insert into account values ('" + TEXT + "')"))));
        cases.put(
                "work that closes its connection",
                locks -> inTransaction(locks, database.dataSource(), tx -> {
                    tx.connection().close();
                    return null;
                }));
        cases.put("connection lost at the commit", locks -> {
            proxy.cutBefore("COMMIT");
            return inTransaction(locks, proxy.through(database.dataSource()), tx -> null);
        });
        cases.put("committed and not confirmed", this::notConfirmed);
        return cases;
    }

    /** Early, as another wants the key, and with a level that cannot be waited for. */
    private Throwable notConfirmed(RowLocks locks) throws Exception {
        DataSource dataSource = database.dataSource();
        List<Step<Object>> next = new ArrayList<>();
        Throwable failure = inTransaction(locks, dataSource, tx -> {
            next.add(alice.start(c -> locks.on(dataSource).lock(forUpdate(KEY)).inTransaction(other -> 1)));
            TestDatabase.await()
                    .until(() ->
                            LockAccess.of(locks).calls().queues().entrants().size() == 2);
            execute(tx.connection(), "insert into meddled values (1)");
            return null;
        });
        next.get(0).get();
        return failure;
    }

    @EveryStrategy
    void everyExceptionNamesItsKey(LockStrategy strategy) throws Exception {
        Set<String> seen = new TreeSet<>();
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .lockBudget(2)
                .maxAdmittedPerKey(1)
                .maxWaitersPerKey(1)
                .release(LockRelease.EARLY)
                .build();
        for (Map.Entry<String, Case> each : cases(strategy).entrySet()) {
            Throwable failure = each.getValue().of(locks);
            alice.rollback();
            bob.rollback();
            assertThat(failure).as(each.getKey()).isNotNull();
            seen.add(failure.getClass().getSimpleName());
            String text = String.join("\n", ours(failure, new ArrayList<>()));
            assertThat(hasId(text))
                    .as(strategy + ", " + each.getKey() + ": " + text)
                    .isTrue();
        }
        if (strategy == LockStrategy.BOTH) {
            assertThat(seen).containsAll(exceptionsOfKeys());
        }
    }

    /** All but what is about a DataSource. */
    private static Set<String> exceptionsOfKeys() {
        Set<String> names = new TreeSet<>();
        for (JavaClass each : new ClassFileImporter().importPackagesOf(RowlockException.class)) {
            if (each.isAssignableTo(RowlockException.class)
                    && !each.getModifiers().contains(JavaModifier.ABSTRACT)) {
                names.add(each.getSimpleName());
            }
        }
        names.removeAll(Set.of("RowlockException", "LockVerificationException"));
        return names;
    }

    private static boolean hasId(String text) {
        return text.toLowerCase(Locale.ROOT).contains(TEXT) || text.contains(Long.toString(NUMBER));
    }

    /** What a stack trace prints, without what the server says. */
    private static List<String> ours(Throwable failure, List<String> texts) {
        if (!(failure instanceof PSQLException)) {
            texts.add(failure.toString());
        }
        for (Throwable each : failure.getSuppressed()) {
            ours(each, texts);
        }
        return failure.getCause() == null ? texts : ours(failure.getCause(), texts);
    }

    private Throwable failure(Session.Body<?> body) throws Exception {
        return bob.start(body).failure();
    }

    private Throwable failure(RowLocks locks, LockKey key) throws Exception {
        return failure(c -> locks.in(c).lock(forUpdate(key)));
    }

    private Throwable held(RowLocks locks, LockRequest request) throws Exception {
        lock(alice, locks, forUpdate(KEY));
        return failure(c -> locks.in(c).lock(request));
    }

    private Throwable canceled(RowLocks locks) throws Exception {
        lock(alice, locks, forUpdate(KEY));
        Step<?> step = startLock(bob, locks, forUpdate(KEY)).awaitBlockedBy(alice);
        bob.cancel();
        return step.failure();
    }

    private Throwable deadlock(RowLocks locks) throws Exception {
        alice.execute("set local deadlock_timeout = '60s'");
        bob.execute("set local deadlock_timeout = '20ms'");
        lock(alice, locks, forUpdate(KEY));
        lock(bob, locks, forUpdate(OTHER));
        Step<?> alices = startLock(alice, locks, forUpdate(OTHER)).awaitBlockedBy(bob);
        Throwable failure = failure(locks, KEY);
        bob.rollback();
        alices.get();
        return failure;
    }

    private Throwable stale(RowLocks locks) throws Exception {
        bob.execute("set transaction isolation level repeatable read");
        bob.execute("select 1");
        alice.execute("update account set balance = balance + 1");
        alice.commit();
        return failure(locks, KEY);
    }

    /** Of a thread behind another that is past the queue. */
    private Throwable queued(RowLocks locks) throws Exception {
        try (KeyEntries permit = enter(locks)) {
            assertThat(permit.isQueued()).isTrue();
            return failure(
                    c -> LockAccess.of(locks).calls().admit(this, forUpdate(KEY).noWait(), null));
        }
    }

    private Throwable interrupted(RowLocks locks) throws Exception {
        try (KeyEntries permit = enter(locks)) {
            assertThat(permit.isQueued()).isTrue();
            return failure(c -> {
                Thread.currentThread().interrupt();
                try {
                    return enter(locks);
                } finally {
                    assertThat(Thread.interrupted()).isTrue();
                }
            });
        }
    }

    /** One may wait; of two that come the other is refused. */
    private Throwable rejected(RowLocks locks) throws Exception {
        Session.Body<Void> enter = c -> {
            enter(locks).close();
            return null;
        };
        List<Step<Void>> steps;
        try (KeyEntries permit = enter(locks)) {
            assertThat(permit.isQueued()).isTrue();
            steps = List.of(alice.start(enter), bob.start(enter));
            TestDatabase.await().until(() -> steps.stream().anyMatch(Step::isDone));
        }
        Throwable first = catchThrowable(steps.get(0)::get);
        return first == null ? catchThrowable(steps.get(1)::get) : first;
    }

    private KeyEntries enter(RowLocks locks) {
        return LockAccess.of(locks).calls().admit(this, forUpdate(KEY), null);
    }

    private static Throwable inTransaction(
            RowLocks locks, DataSource dataSource, LockedTransaction.Work<Void, Object, Exception> work) {
        return catchThrowable(() -> locks.on(dataSource).lock(forUpdate(KEY)).inTransaction(work));
    }
}
