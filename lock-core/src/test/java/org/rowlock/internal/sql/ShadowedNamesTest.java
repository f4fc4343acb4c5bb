package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.RowLockMode.FOR_SHARE;
import static org.rowlock.RowLockMode.FOR_UPDATE;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;

/** PostgreSQL's own functions and types are meant, whatever a schema in front of pg_catalog has under their names. */
class ShadowedNamesTest {
    /** What looks like a call in SQL and is syntax. */
    private static final Set<String> SYNTAX = Set.of(
            ("cast coalesce greatest least nullif exists bit extract filter all any in rows over unnest as materialized and "
                            + "select from by on when not or d k x rowlock_k then else with join b lateral where")
                    .split(" "));

    private static final Pattern CALL = Pattern.compile("(?<![.\\w\"])([a-z_]+) ?\\(");
    private static final Pattern TYPE =
            Pattern.compile("(?:::|cast\\([^()]* as )(text|regclass|oid|int4|int8|bool)\\b");

    private static final LockWait BOUND = LockWait.atMost(Duration.ofSeconds(60));

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            10,
            "create table document(id uuid, part text, primary key (id, part))",
            "insert into document values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'x')");

    private static List<Session.Body<?>> ways(LockStrategy strategy) {
        List<Session.Body<?>> ways = new ArrayList<>(ways(strategy, LockFront.NEVER));
        ways.addAll(ways(strategy, LockFront.ALWAYS));
        return ways;
    }

    private static List<Session.Body<?>> ways(LockStrategy strategy, LockFront front) {
        RowLocks locks = LockAccess.builder().strategy(strategy).front(front).build();
        LockKey text = row("document", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "x");
        List<Session.Body<?>> ways = new ArrayList<>();
        for (LockKey key : List.of(row("account", 1), text, LockKey.name("n"), LockKey.number(1), LockKey.pair(1, 2))) {
            for (LockWait wait : List.of(LockWait.FOREVER, LockWait.NO_WAIT, BOUND)) {
                ways.add(c -> locks.in(c).lock(Requests.waiting(forUpdate(key), wait)));
                ways.add(c -> locks.in(c).lock(Requests.waiting(forShare(key), wait)));
                ways.add(c -> locks.in(c).lockAndRead(Requests.waiting(forUpdate(key), wait), "select 1", found -> 1));
            }
        }
        for (LockWait wait : List.of(LockWait.FOREVER, LockWait.NO_WAIT, BOUND)) {
            ways.add(c -> locks.in(c).lock(Requests.waiting(forUpdate(LockKey.rows("account", List.of(2, 1))), wait)));
            ways.add(c -> locks.in(c)
                    .lock(Requests.waiting(forShare(List.of(text, row("account", 1), LockKey.name("n"))), wait)));
            ways.add(c -> locks.in(c)
                    .lock(Requests.waiting(Requests.of(Map.of(text, FOR_SHARE, row("account", 1), FOR_UPDATE)), wait)));
        }
        ways.add(c -> locks.in(c).claim(Claim.from("account").limit(2), found -> 1));
        return ways;
    }

    @EveryStrategy
    void everyFunctionAndTypeIsNamedWithItsSchema(LockStrategy strategy, Session alice) throws Exception {
        Set<String> unqualified = new TreeSet<>();
        List<String> statements = new ArrayList<>();
        for (int isolation : List.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ)) {
            alice.connection().setTransactionIsolation(isolation);
            for (Session.Body<?> way : ways(strategy)) {
                for (boolean begun : List.of(false, isolation == Connection.TRANSACTION_READ_COMMITTED)) {
                    if (begun) {
                        alice.execute("select 1");
                    }
                    try {
                        alice.run(c -> way.run(Wire.listen(c, statements)));
                    } catch (LockTransactionException e) {
                        assertThat(e.sqlState()).contains("25001");
                    }
                    alice.rollback();
                }
            }
        }
        assertThat(statements).isNotEmpty();
        for (String sql : statements) {
            for (Pattern pattern : List.of(CALL, TYPE)) {
                // An alias with its columns is no function.
                Matcher name = pattern.matcher(sql.replaceAll("E?'[^']*'", "''")
                        .replaceAll("\"[^\"]*\"", "\"\"")
                        .replaceAll("\\) as \\w+\\(", ") as ("));
                while (name.find()) {
                    if (pattern == TYPE || !SYNTAX.contains(name.group(1))) {
                        unqualified.add(name.group());
                    }
                }
            }
        }
        assertThat(unqualified).isEmpty();
    }

    /** A pooler shares what it has prepared by the text. */
    @EveryStrategy
    void theSqlIsTheSameInEveryJvm(LockStrategy strategy, Session alice) throws Exception {
        List<String> statements = new ArrayList<>();
        for (Session.Body<?> way : ways(strategy)) {
            alice.run(c -> way.run(Wire.listen(c, statements)));
            alice.rollback();
        }
        assertThat(statements)
                .noneMatch(sql ->
                        Pattern.compile("rowlock:[0-9a-z]{6,}:").matcher(sql).find());
    }

    @Test
    void aLockFunctionOfTheApplicationDoesNotLetTwoIn(Session alice, Session bob) throws Exception {
        database.execute(
                "create function pg_advisory_xact_lock(int, int) returns void language sql as 'select'",
                "create function pg_advisory_xact_lock(bigint) returns void language sql as 'select'",
                "create function pg_try_advisory_xact_lock(int, int) returns boolean language sql as 'select true'",
                "create function md5(text) returns text language sql as $$ select random()::pg_catalog.text $$",
                "create function current_setting(text) returns text language sql as $$ select 'off' $$",
                "create domain text as pg_catalog.text");
        RowLocks locks = locks(LockStrategy.ADVISORY);
        for (Session session : List.of(alice, bob)) {
            session.execute("set search_path = " + database.schema() + ", pg_catalog");
            session.commit();
        }
        for (LockKey key :
                List.of(row("account", 1), row("document", UUID.randomUUID(), "x"), LockKey.name("nightly"))) {
            lock(alice, locks, forUpdate(key));
            assertThat(tryLock(bob, locks, forUpdate(key))).isFalse();
            alice.rollback();
            bob.rollback();
        }
    }
}
