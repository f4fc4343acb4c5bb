package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockSerializationException;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Held;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** What a row lock was told of the id columns is checked at every lock: the wrong row is never locked. */
class PrimaryKeyChangeTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table item(id int primary key, new_id int not null unique)",
            "insert into item values (1, 5), (5, 1)");

    private static final List<String> CHANGES = List.of(
            "alter table item drop constraint item_pkey; alter table item add primary key (new_id)",
            "alter table item rename column id to x; alter table item rename column new_id to id;"
                    + " alter table item rename column x to new_id",
            "alter table item rename to old; create table item(new_id int primary key, id int);"
                    + " insert into item values (1, 5), (5, 1)",
            "alter table item rename to old; create table item(code text primary key);"
                    + " insert into item values ('1'), ('5')");

    @EveryStrategy.WithRow
    void anotherPrimaryKeyIsFollowed(LockStrategy strategy) throws Exception {
        for (String change : CHANGES) {
            for (Session.Body<?> body : ways(locks(strategy))) {
                Session alice = database.session("alice");
                Session bob = database.session("bob");
                alice.run(body);
                alice.rollback();
                database.execute(change);
                String key = database.query("select a.attname from pg_index i join pg_attribute a"
                        + " on a.attrelid = i.indrelid and a.attnum = i.indkey[0]"
                        + " where i.indrelid = 'item'::regclass and i.indisprimary");
                alice.run(body);
                assertThatThrownBy(() -> bob.execute("select 1 from item where " + key + " = '1' for update nowait"))
                        .hasMessageContaining("could not obtain lock");
                bob.rollback();
                bob.execute("select 1 from item where " + key + " = '5' for update nowait");
                alice.rollback();
                bob.rollback();
                database.execute(
                        "drop table item",
                        "drop table if exists old",
                        "create table item(id int primary key, new_id int not null unique)",
                        "insert into item values (1, 5), (5, 1)");
            }
        }
    }

    private static List<Session.Body<?>> ways(RowLocks locks) {
        return List.of(
                c -> locks.in(c).lock(forUpdate(row("item", 1))),
                c -> locks.in(c).lock(forUpdate(row("item", 1)).noWait()),
                c -> locks.in(c)
                        .lock(forUpdate(List.of(row("item", 1), row("item", 77)))
                                .allowAbsent()),
                c -> locks.in(c).lockAndRead(forUpdate(row("item", 1)), "select 1", rs -> 1));
    }

    @Test
    void inATransactionThatHadBegunTheCallFailsAndTheNextOneIsRight(Session alice) throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        lock(alice, locks, forUpdate(row("item", 1)));
        alice.rollback();
        database.execute(CHANGES.get(0));
        alice.execute("select 1");
        assertThatThrownBy(() -> lock(alice, locks, forUpdate(row("item", 1))))
                .isInstanceOf(LockSerializationException.class)
                .hasMessageContaining("roll back and run it again");
        alice.rollback();
        assertThat(Held.of(lock(alice, locks, forUpdate(row("item", 1))))).isEqualTo(Held.KEY_AND_ROW_LOCKED);
    }

    @ParameterizedTest
    @CsvSource({"ROW, on", "ROW, off", "BOTH, on", "BOTH, off"})
    void namesThatNeedQuotesAreCheckedAsTheyAre(
            LockStrategy strategy, String standardConformingStrings, Session alice, Session bob) throws Exception {
        assumeTrue(
                standardConformingStrings.equals("on") || !database.isAtLeast(19),
                "skipped: from PostgreSQL 19 on it is always on");
        RowLocks locks = locks(strategy);
        database.execute("create table \"it's \\ a\"\"?\" (\"b\"\"'\\?\" int, \"select\" int, x int,"
                + " primary key (\"select\", \"b\"\"'\\?\") include (x))");
        database.execute("insert into \"it's \\ a\"\"?\" values (1, 2, 3)");
        alice.execute("set standard_conforming_strings = " + standardConformingStrings);
        LockKey key = LockKey.row("\"it's \\ a\"\"?\"", 2, 1);
        assertThat(lock(alice, locks, forUpdate(key)).isHeld()).isTrue();
        assertThat(tryLock(bob, locks, forUpdate(key))).isFalse();
        assertThat((Object) alice.run(c -> locks.in(c).claim(Claim.from("\"it's \\ a\"\"?\""), row -> row.getInt("x"))))
                .isEqualTo(List.of(3));
    }

    @EveryStrategy.WithKey
    void aClaimLocksTheKeysOfTheTableAsItIs(RowLocks locks, Session alice, Session bob) throws Exception {
        Claim claim = Claim.from("item").orderBy("id");
        alice.run(c -> locks.in(c).claim(claim, rs -> rs.getInt("id")));
        alice.rollback();
        database.execute(CHANGES.get(0));
        List<Integer> claimed = alice.run(c -> locks.in(c).claim(claim, rs -> rs.getInt("new_id")));
        assertThat(claimed).containsExactly(5);
        assertThat(tryLock(bob, locks, forUpdate(row("item", 5)))).isFalse();
        assertThat(tryLock(bob, locks, forUpdate(row("item", 1)))).isTrue();
    }

    /** In a transaction that has not begun the change is not seen at all, whatever it is. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ROW|alter table note rename column id to number",
                "BOTH|alter table note rename column id to number",
                "ROW|alter type mood rename to humour",
                "BOTH|alter type mood rename to humour",
                "ROW|alter table note alter column id type text",
                "BOTH|alter table note alter column id type text",
            })
    void aRenameIsFollowedAtOnce(LockStrategy strategy, String change, Session alice, Session bob) throws Exception {
        database.execute(
                "create type mood as enum ('happy', 'sad')",
                "create table note(id mood primary key)",
                "insert into note values ('happy')");
        for (int prepared : List.of(1, 7)) {
            RowLocks locks = locks(strategy);
            for (int i = 0; i < prepared; i++) {
                lock(alice, locks, forUpdate(row("note", "happy")));
                alice.rollback();
            }
            if (prepared > 1) {
                database.execute(change);
            }
            for (Session.Body<?> way : List.<Session.Body<?>>of(
                    c -> locks.in(c).lock(forUpdate(row("note", "happy"))),
                    c -> locks.in(c).lockAndRead(forUpdate(row("note", "happy")), "select 1", rs -> 1),
                    c -> locks.in(c).lock(forUpdate(List.of(row("note", "happy"), LockKey.name("x")))))) {
                alice.run(way);
                assertThatThrownBy(() -> bob.execute("select 1 from note for update nowait"))
                        .hasMessageContaining("could not obtain lock");
                alice.rollback();
                bob.rollback();
            }
        }
    }

    /** As of a table that gets tenants, under an instance that knows none. */
    @EveryStrategy
    void anInstanceThatKnowsTheKeyOfBeforeIsRefused(LockStrategy strategy, Session alice, Session bob)
            throws Exception {
        database.execute(
                "create table document(tenant int default 7, id int primary key)",
                "insert into document values (7, 1)");
        for (int calls : List.of(1, 7)) {
            RowLocks older = locks(strategy);
            for (int i = 0; i < calls; i++) {
                lock(alice, older, forUpdate(row("document", 1)));
                alice.rollback();
            }
            database.execute(
                    "alter table document drop constraint document_pkey",
                    "alter table document add primary key (tenant, id)");
            lock(bob, locks(strategy), forUpdate(row("document", 7, 1)));
            assertThatThrownBy(() -> tryLock(alice, older, forUpdate(row("document", 1))))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContaining("[tenant, id]");
            bob.rollback();
            database.execute(
                    "alter table document drop constraint document_pkey", "alter table document add primary key (id)");
        }
    }

    /** With the type of before the comparison would be by case, and find no row. */
    @ParameterizedTest
    @CsvSource({"ROW, 1", "BOTH, 1", "ROW, 7", "BOTH, 7", "ADVISORY, 7"})
    void aColumnThatBecomesCitextIsNoticed(LockStrategy strategy, int calls, Session alice) throws Exception {
        database.execute(
                "create extension if not exists citext schema public",
                "create table note(id text primary key)",
                "insert into note values ('Ab')");
        RowLocks locks = locks(strategy);
        for (int i = 0; i < calls; i++) {
            lock(alice, locks, forUpdate(row("note", "Ab")));
            alice.rollback();
        }
        database.execute("alter table note alter column id type public.citext");
        Session.Body<LockResult> lock = c -> locks.in(c).lock(forUpdate(row("note", "aB")));
        if (strategy != LockStrategy.ROW) {
            assertThatThrownBy(() -> alice.run(lock))
                    .isInstanceOf(LockTargetException.class)
                    .hasMessageContaining("strategy ROW");
        } else {
            assertThat(alice.run(lock).absentRows()).isEmpty();
        }
    }

    /** Two tenants with a schema each, on one connection, in transactions that have begun. */
    @EveryStrategy.WithRow
    void tenantsWithOtherPrimaryKeysDoNotDisturbEachOther(RowLocks locks) throws Exception {
        String other = database.schema() + "_b";
        database.execute(
                "create schema " + other,
                "create table " + other + ".item(new_id int primary key, id int)",
                "insert into " + other + ".item values (5, 7)");
        database.closing(() -> database.execute("drop schema " + other + " cascade"));
        Session alice = database.session("alice");
        int failures = 0;
        for (int i = 0; i < 10; i++) {
            for (String schema : List.of(database.schema(), other)) {
                alice.execute("set search_path = " + schema);
                alice.commit();
                alice.execute("select 1");
                try {
                    LockResult result = lock(alice, locks, forUpdate(row("item", 5)));
                    assertThat(result.absentRows()).isEmpty();
                } catch (LockSerializationException e) {
                    failures++;
                }
                alice.rollback();
            }
        }
        // Before 18 the server does not say that the search_path is another, so the first time takes a failure.
        assertThat(failures).isLessThanOrEqualTo(1);
    }
}
