package org.rowlock.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;

/** A group writes what each of its members would have written alone, and runs no others. */
class GroupIdentityTest {
    private static final int CALLERS = 4;
    private static final String PAY = "update account set balance = balance + 1 where id = 1";
    private static final String ENTER = "insert into entry(id) values (?)";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            1,
            "create table entry(place serial, id int check (id > 0), day date default now(), mark text)",
            "create function tenant() returns text language sql stable as $$select current_setting('app.t', true)$$",
            "create function seen() returns trigger language plpgsql as"
                    + " $$begin new.mark = current_setting('app.t', true); return new; end$$",
            "create function sets(int) returns int language plpgsql as"
                    + " $$begin perform set_config('app.t', $1::text, true); return $1; end$$",
            "create view single as select tenant() as t",
            "create function same(text) returns bool language sql immutable as 'select true'");

    private List<Throwable> pay(DataSource dataSource, String... more) throws Exception {
        return pay(Crowd.builder(CALLERS).build(), dataSource, more);
    }

    private List<Throwable> pay(RowLocks locks, DataSource dataSource, String... more) throws Exception {
        return Crowd.failures(
                database,
                locks,
                dataSource,
                IntStream.rangeClosed(1, CALLERS)
                        .mapToObj(id -> {
                            CommitWrites writes = new CommitWrites();
                            writes.add(PAY).expectOneRow();
                            writes.add(ENTER, id);
                            for (String sql : more) {
                                writes.add(sql.replace("ID", String.valueOf(id)));
                            }
                            return writes;
                        })
                        .toArray(CommitWrites[]::new));
    }

    private void expect(List<Throwable> failures, String transactions) throws SQLException {
        expect(failures, transactions, "entry");
    }

    private void expect(List<Throwable> failures, String transactions, String table) throws SQLException {
        assertThat(failures).containsOnlyNulls();
        assertThat(Crowd.transactions(database, table)).isEqualTo(transactions);
    }

    private static String alone() {
        return String.join(" ", Collections.nCopies(CALLERS, "1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select",
                "alter table entry add at timestamptz default clock_timestamp(), add key uuid default gen_random_uuid()",
                "alter table entry add half int generated always as (id / 2) stored",
                "alter table entry add check (same(mark))",
                "create table other(account int references account on delete cascade)"
            })
    void whatIsTheSameOnEachConnectionIsGrouped(String change) throws Exception {
        database.execute(change);
        expect(pay(database.dataSource()), String.valueOf(CALLERS));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter table entry add who text default current_user",
                "alter table entry add who text default current_schema",
                "alter table entry add who text default current_setting('app.t', true)",
                "alter table entry add who text default tenant()",
                "alter table entry add check (tenant() is null or id > 0)",
                "create domain marked as text check (tenant() is null); alter table entry alter mark type marked",
                "create domain inner_one as text check (tenant() is null); create domain marked as inner_one;"
                        + " alter table entry alter mark type marked",
                "create domain marked as text check (tenant() is null); alter table entry add marks marked[]",
                "create domain marked as text default current_setting('app.t', true); alter table entry alter mark type"
                        + " marked",
                "create trigger seen before insert on entry for each row execute function seen()",
                "create rule r as on update to entry do also select 1",
                "alter table entry enable row level security",
                "alter table account enable row level security",
                "create table part() inherits (entry)",
                "alter table entry add account int unique references account deferrable initially deferred",
                "alter table entry rename to rows; create view entry as select * from rows"
            })
    void aTableThatMayLookAtTheSessionIsNotGrouped(String change) throws Exception {
        database.execute(change.split("; "));
        expect(pay(database.dataSource()), alone(), change.contains("view") ? "rows" : "entry");
    }

    /** Which SQL reads like a column. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update entry e set mark = e.seen where id = ID",
                "update entry set mark = (entry).seen where id = ID"
            })
    void aFunctionOfTheRowIsNotGrouped(String sql) throws Exception {
        database.execute("create function seen(entry) returns text language sql stable as 'select tenant()'");
        expect(pay(database.dataSource(), sql), alone());
    }

    /** Which no word of the write shows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create function seen(int, text) returns text language sql stable as 'select tenant()';"
                        + " create operator <+> (function = seen, leftarg = int, rightarg = text);"
                        + " update entry set mark = id <+> 'x' where id = ID",
                "create function lower(int) returns text language sql stable as 'select tenant()';"
                        + " update entry set mark = lower(id) where id = ID",
                "create domain own as text check (tenant() is null);"
                        + " update entry set mark = cast('x' as own) where id = ID",
                "create type pair as (a int, b int); alter table entry add pair pair;"
                        + " create function seen(pair) returns text language sql stable as 'select tenant()';"
                        + " update entry set mark = (pair).seen where id = ID",
                "create type pair as (a int, b int);"
                        + " create function seen(pair) returns text language sql stable as 'select tenant()';"
                        + " update entry set mark = (cast('(1,2)' as pair)).seen where id = ID",
                "create type color as enum ('red');"
                        + " create function paint(int) returns color language sql stable"
                        + " as 'select ''red''::color from tenant()';"
                        + " create cast (int as color) with function paint(int) as assignment;"
                        + " alter table entry add color color; update entry set color = id where id = ID",
                "create schema private; create domain private.own as text check (tenant() is null);"
                        + " update entry set mark = cast('x' as private.own) where id = ID",
                // The names mean two tables, because the server converts only ASCII letters to lower case.
                "create table éclair (id int, mark text); create table Éclair (id int, mark text);"
                        + " create trigger seen before insert on Éclair for each row execute function seen();"
                        + " insert into Éclair values (ID, '')",
                "create table u (id int, mark text); create table seen_here (id int, mark text);"
                        + " create trigger seen before insert on seen_here for each row execute function seen();"
                        + " insert into U&\"seen\\005fhere\" values (ID, '')",
                // The server accepts an ideographic space as a letter of a name.
                "create table \u3000x (id int, mark text); create table x (id int, mark text);"
                        + " create trigger seen before insert on \u3000x for each row execute function seen();"
                        + " insert into \u3000x values (ID, '')"
            })
    void aHiddenFunctionIsNotGrouped(String change) throws Exception {
        List<String> sql = List.of(change.split("; "));
        database.execute(sql.subList(0, sql.size() - 1).toArray(String[]::new));
        expect(pay(database.dataSource(), sql.get(sql.size() - 1)), alone());
    }

    /** The tables were looked at before. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create trigger seen before insert on entry for each row execute function seen()",
                "alter table entry alter mark set default current_setting('app.t', true)",
                "alter table entry add check (tenant() is null)",
                "alter table account enable row level security"
            })
    void aTableThatChangesLaterIsNotGrouped(String change) throws Exception {
        RowLocks locks = Crowd.builder(CALLERS).build();
        expect(pay(locks, database.dataSource()), String.valueOf(CALLERS));
        database.execute("delete from entry", change);
        expect(pay(locks, database.dataSource()), alone());
    }

    /** There are as many triggers as before. */
    @Test
    void triggersInPlaceOfAForeignKeyAreNoticed() throws Exception {
        database.execute(
                "create table other(account int references account)",
                "create function same() returns trigger language plpgsql as 'begin return new; end'");
        RowLocks locks = Crowd.builder(CALLERS).build();
        expect(pay(locks, database.dataSource()), String.valueOf(CALLERS));
        database.execute(
                "delete from entry",
                "drop table other",
                "create trigger one before update on account for each row execute function same()",
                "create trigger two before update on account for each row execute function same()");
        expect(pay(locks, database.dataSource()), alone());
    }

    /** With escapes in strings, a text that looks like a constant may read the session. */
    @Test
    void aStringThatEndsElsewhereIsNotGrouped() throws Exception {
        String sql = "update entry set mark = 'it\\'s ' || coalesce(current_setting('app.t', true), '') where id = ID";
        expect(pay(database.dataSourceWith("-c standard_conforming_strings=off"), sql), alone());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update entry set mark = sets(ID)::text where id = ID",
                "update entry set mark = tenant() where id = ID",
                "update entry set mark = current_user where id = ID",
                "update entry set mark = current_setting('app.t', true) where id = ID",
                "update entry set mark = 'x' from account a where a.id = -entry.id",
                "update entry set mark = (table single) where id = ID",
                "delete from entry using account a where a.id = -entry.id",
                "insert into account select 10 + ID"
            })
    void aWriteThatMayDoMoreIsNotGrouped(String sql) throws Exception {
        expect(pay(database.dataSource(), sql), alone());
    }

    @Test
    void aVerticalTabHidesNoFunction() throws Exception {
        String since = "select current_setting('server_version_num')::int >= 170000";
        assumeTrue(database.query(since).equals("t"), "a vertical tab is white space since PostgreSQL 17");
        expect(pay(database.dataSource(), "update entry set mark = tenant\u000b() where id = ID"), alone());
    }

    /** As of a DataSource that gives the connection the role or the schema of its thread. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "set role pg_monitor",
                "set session authorization pg_monitor",
                "set search_path = SCHEMA, pg_temp",
                "set timezone = 'Asia/Tokyo'",
                "set synchronous_commit = off",
                "set session_replication_role = replica"
            })
    void anAlteredSessionIsNotGrouped(String set) throws Exception {
        database.execute(
                "grant all on schema " + database.dataSource().getCurrentSchema() + " to pg_monitor",
                "grant all on all tables in schema " + database.dataSource().getCurrentSchema() + " to pg_monitor",
                "grant all on all sequences in schema " + database.dataSource().getCurrentSchema() + " to pg_monitor");
        String sql = set.replace("SCHEMA", database.dataSource().getCurrentSchema());
        expect(pay(running(() -> sql)), alone());
    }

    /** It would end the transactions of others too, and their outcome would not be known. */
    @Test
    void aSessionWithATransactionTimeoutIsNotGrouped() throws Exception {
        String exists = "from pg_settings where name = 'transaction_timeout'";
        assumeTrue(database.query("select count(*) " + exists).equals("1"), "before PostgreSQL 17");
        expect(pay(running(() -> "select set_config(name, '1h', false) " + exists)), alone());
    }

    /** Nothing that is grouped reads it. */
    @Test
    void aSettingOfTheApplicationIsNoAlteration() throws Exception {
        expect(pay(running(() -> "select set_config('app.t', 'one', false)")), String.valueOf(CALLERS));
    }

    /** The session was looked at before. */
    @Test
    void aSessionThatIsAlteredLaterIsNotGrouped() throws Exception {
        Connection one = database.closing(database.dataSource().getConnection());
        DataSource only = OneConnection.of(one);
        RowLocks locks = Crowd.builder(CALLERS).build();
        for (String transactions : List.of("4", "1 1 1 1")) {
            database.execute("delete from entry");
            expect(pay(locks, only), transactions);
            one.setAutoCommit(true);
            TestDatabase.execute(one, "set timezone = 'Asia/Tokyo'");
        }
    }

    /** As of a DataSource that gives the threads of some tenants a schema, and leaves the sessions of others alone. */
    @Test
    void onceASessionWasAlteredNoOtherIsGroupedEither() throws Exception {
        String other = database.schema() + "_b";
        database.execute(
                "create schema " + other,
                "create table " + other + ".account(id int primary key)",
                "insert into " + other + ".account values (1)",
                "create table " + other + ".entry(id int)");
        ThreadLocal<Boolean> tenant = ThreadLocal.withInitial(() -> false);
        DataSource byThread = running(() -> tenant.get() ? "set search_path = " + other : "select 1");
        database.closing(() -> database.execute("drop schema " + other + " cascade"));
        RowLocks locks = on(Crowd.builder(CALLERS).build(), byThread);
        tenant.set(true);
        locks.lock(forUpdate(LockKey.name("any"))).execute(ENTER, 2);
        tenant.remove();
        try (Crowd crowd = Crowd.behind(database, locks, byThread)) {
            crowd.add(() -> locks.lock(forUpdate(Crowd.KEY)).execute(ENTER, 1));
            crowd.add(() -> {
                tenant.set(true);
                locks.lock(forUpdate(Crowd.KEY)).execute(ENTER, 3);
            });
        }
        assertThat(database.query("select string_agg(id::text, ' ') from entry"))
                .isEqualTo("1");
        assertThat(database.query("select string_agg(id::text, ' ') from " + other + ".entry"))
                .isEqualTo("2 3");
    }

    /** As of a report that has left its table to the pool. The sessions and the tables were looked at before. */
    @ParameterizedTest
    @ValueSource(strings = {"account", "entry"})
    void aTemporaryTableOfTheLeaderTakesNoWriteOfAnother(String table) throws Exception {
        Connection one = database.closing(database.dataSource().getConnection());
        DataSource only = OneConnection.of(one);
        RowLocks locks = Crowd.builder(CALLERS).build();
        expect(pay(locks, only), String.valueOf(CALLERS));
        one.setAutoCommit(true);
        TestDatabase.execute(one, "create temp table " + table + "(like " + table + " including all)");
        TestDatabase.execute(one, "insert into " + table + " select * from " + database.schema() + '.' + table);
        ThreadLocal<Boolean> first = ThreadLocal.withInitial(() -> false);
        DataSource both = TestDataSource.of(
                () -> first.get() ? only.getConnection() : database.dataSource().getConnection());
        try (Crowd crowd = Crowd.behind(database, locks, both)) {
            crowd.add(() -> {
                first.set(true);
                on(locks, both).lock(forUpdate(Crowd.KEY)).execute(PAY);
            });
            for (int id = 1; id < CALLERS; id++) {
                CommitWrites writes = new CommitWrites();
                writes.add(PAY).expectOneRow();
                writes.add(ENTER, CALLERS + id);
                crowd.add(writes);
            }
        }
        assertThat(database.query("select count(*) from entry where id > " + CALLERS))
                .isEqualTo(String.valueOf(CALLERS - 1));
        assertThat(database.query("select balance >= " + (2 * CALLERS - 1) + " from account where id = 1"))
                .isEqualTo("t");
    }

    private void expectAloneWithEntriesOnly(DataSource dataSource) throws Exception {
        RowLocks locks = Crowd.builder(CALLERS).build();
        CommitWrites[] entries = IntStream.rangeClosed(1, CALLERS)
                .mapToObj(id -> {
                    CommitWrites writes = new CommitWrites();
                    writes.add(ENTER, id);
                    return writes;
                })
                .toArray(CommitWrites[]::new);
        expect(Crowd.failures(database, locks, dataSource, entries), alone());
    }

    /** No write changes the locked table. */
    @Test
    void aLockedTableWithRowSecurityIsNotGrouped() throws Exception {
        database.execute("alter table account enable row level security");
        expectAloneWithEntriesOnly(database.dataSource());
    }

    /** The leader would lock a row that is its own, for writes of others to a table of all. */
    @Test
    void aTemporaryTableIsNotLockedForOthers() throws Exception {
        Connection one = database.closing(database.dataSource().getConnection());
        TestDatabase.execute(one, "create temp table account(like account including all)");
        TestDatabase.execute(one, "insert into account values (1)");
        expectAloneWithEntriesOnly(OneConnection.of(one));
    }

    /** As of a DataSource that gives the connection the tenant of its thread. */
    @Test
    void aViewIsNotLockedForOthers() throws Exception {
        database.execute("create view own_account as select * from account where tenant() = 'own'");
        ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> "own");
        DataSource byThread = running(() -> "select set_config('app.t', '" + tenant.get() + "', false)");
        RowLocks locks =
                on(Crowd.builder(CALLERS).idColumns("own_account", "id").build(), byThread);
        LockRequest request = forUpdate(LockKey.row("own_account", 1));
        Crowd.Caller other;
        try (Crowd crowd = Crowd.behind(database, locks, byThread, forUpdate(Crowd.KEY), request)) {
            crowd.add(() -> locks.lock(request).execute(ENTER, 1));
            other = crowd.add(() -> {
                tenant.set("other");
                locks.lock(request).execute(ENTER, 2);
            });
        }
        assertThat(other.failure()).isInstanceOf(RowAbsentException.class);
        assertThat(database.query("select string_agg(id::text, ' ') from entry"))
                .isEqualTo("1");
    }

    /** A DataSource that runs a statement on each connection. */
    private DataSource running(Supplier<String> sql) {
        return TestDataSource.of(() -> {
            Connection connection = database.dataSource().getConnection();
            TestDatabase.execute(connection, sql.get());
            return connection;
        });
    }
}
