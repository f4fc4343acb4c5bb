package org.rowlock.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.TestDatabase.execute;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.ClientProgram;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** Installs and removes guards, and changes guarded tables. Each test has a separate database. */
@Tag("long")
class GuardInstallTest {
    private static final Pattern VERSION = Pattern.compile("\\) (\\d+)");

    private final String name = "guard" + ProcessHandle.current().pid();
    private final String owner = name + "_owner";
    private final String app = name + "_app";

    private Connection connection;

    @BeforeEach
    void createDatabase() throws SQLException {
        TestPostgres.shared()
                .execute(
                        "create role " + owner + " login password 'x'",
                        "create role " + app + " login password 'x'",
                        "create database " + name + " owner " + owner);
        connection = connect(owner);
        execute(
                connection,
                "create table account(id bigint primary key, balance bigint)",
                "insert into account values (7, 100), (8, 100)",
                "grant select, update on account to " + app);
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        connection.close();
        TestPostgres.shared()
                .execute(
                        "drop database if exists " + name + "_2 with (force)",
                        "drop database " + name + " with (force)",
                        "drop role " + app,
                        "drop role " + owner);
    }

    private Connection connect(String role) throws SQLException {
        PGSimpleDataSource dataSource = TestPostgres.shared().dataSource();
        dataSource.setDatabaseName(name);
        return role.isEmpty() ? dataSource.getConnection() : dataSource.getConnection(role, "x");
    }

    private String query(String sql) throws SQLException {
        return query(connection, sql);
    }

    private static String query(Connection connection, String sql) throws SQLException {
        return TestDatabase.query(connection, sql);
    }

    private GuardState state(String table) throws SQLException {
        return RowLockGuard.stateOf(connection, table);
    }

    /** Whether a plain writer is refused while another transaction holds the key. */
    private boolean isGuarded(String table, Object id, String update) throws SQLException {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        try (Connection locker = connect(owner);
                Connection writer = connect(owner)) {
            locker.setAutoCommit(false);
            locks.in(locker).lock(forUpdate(LockKey.row(table, id)));
            try {
                execute(writer, update);
                return false;
            } catch (SQLException e) {
                assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("55P03");
                return true;
            } finally {
                locker.rollback();
            }
        }
    }

    private boolean isGuarded() throws SQLException {
        return isGuarded("account", 7, "update account set balance = balance where id = 7");
    }

    @Test
    void itIsInstalledAgainAndRemovedWithoutASuperuser() throws Exception {
        assertThat(state("account")).isEqualTo(GuardState.MISSING);
        assertThat(isGuarded()).isFalse();
        for (int i = 0; i < 2; i++) {
            execute(connection, Install.schemaAndGuard("account"), Install.audit("account", 1));
            assertThat(state("account")).isEqualTo(GuardState.CURRENT);
            assertThat(isGuarded()).isTrue();
            assertThat(query("select count(*) from pg_trigger where tgname like 'rowlock%'"))
                    .isEqualTo("3");
        }
        for (int i = 0; i < 2; i++) {
            execute(connection, Install.removeGuard("account"), Install.removeAudit("account"));
            assertThat(state("account")).isEqualTo(GuardState.MISSING);
            assertThat(isGuarded()).isFalse();
        }
        execute(connection, Install.schemaAndGuard("account"));
        for (int i = 0; i < 2; i++) {
            execute(connection, "drop schema if exists rowlock cascade");
            assertThat(state("account")).isEqualTo(GuardState.MISSING);
            assertThat(query("select count(*) from pg_trigger where tgname like 'rowlock%'"))
                    .isEqualTo("0");
        }
    }

    /** A migration tool runs the SQL in one transaction, which may be rolled back. */
    @Test
    void itIsTransactional() throws Exception {
        connection.setAutoCommit(false);
        execute(connection, Install.schemaAndGuard("account"));
        connection.rollback();
        connection.setAutoCommit(true);

        assertThat(state("account")).isEqualTo(GuardState.MISSING);
    }

    /** Writers need no privilege for the guard, even if default privileges let no role execute new functions. */
    @Test
    void everyWriterIsGuardedWhateverItsPrivileges() throws Exception {
        execute(
                connection,
                "alter default privileges revoke execute on functions from public",
                Install.schemaAndGuard("account"),
                Install.audit("account", 1));
        try (Connection writer = connect(app)) {
            execute(writer, "set application_name = 'app'", "update account set balance = 1 where id = 7");
            assertThat(RowLockGuard.stateOf(writer, "account")).isEqualTo(GuardState.CURRENT);
            assertThat(query(writer, "select relation from rowlock.audits")).isEqualTo("account");
            assertThatThrownBy(() -> StrayWriter.all(writer)).hasMessageContaining("permission denied");
            writer.setAutoCommit(false);
            locks(LockStrategy.ADVISORY).in(writer).lock(forUpdate(LockKey.row("account", 7)));
            assertThatThrownBy(() -> execute(connection, "update account set balance = 0 where id = 7"))
                    .hasMessageContaining("locked by another transaction");
            writer.rollback();
        }
        // The guard had acquired the key, so the audit recorded no writer.
        assertThat(StrayWriter.all(connection)).isEmpty();
    }

    @Test
    void onlyWhoMayTurnsItOff() throws Exception {
        execute(connection, Install.schemaAndGuard("account"));
        try (Connection writer = connect(app)) {
            execute(writer, "set rowlock.guard = off");
            assertThatThrownBy(() -> execute(writer, "update account set balance = 1 where id = 7"))
                    .hasMessageContainingAll(
                            "The role " + app + " may not set rowlock.guard = off",
                            "grant execute on function rowlock.bypass_guard()");
            execute(connection, "grant execute on function rowlock.bypass_guard() to " + app);
            execute(writer, "update account set balance = 1 where id = 7");
        }
        execute(connection, RowLockGuard.schemaSql());
        assertThat(query("select has_function_privilege('" + app + "', 'rowlock.bypass_guard()', 'execute')"))
                .isEqualTo("t");
    }

    /**
     * The owner of a table determines the SQL in the arguments of its audit. This SQL must not run with the privileges
     * of the schema's owner.
     */
    @Test
    void noRoleGainsRightsByATriggerOfItsOwn() throws Exception {
        execute(connection, RowLockGuard.schemaSql());
        try (Connection admin = connect("")) {
            execute(admin, "create schema theirs authorization " + app);
        }
        try (Connection theirs = connect(app)) {
            execute(
                    theirs,
                    "create table theirs.t(id int primary key)",
                    "insert into theirs.t values (1)",
                    "create table theirs.seen(who text)",
                    "create function theirs.grab() returns text language plpgsql as $$ begin"
                            + " insert into theirs.seen values (current_user); return 'x'; end $$",
                    "create trigger x after update on theirs.t referencing old table as changed for each statement"
                            + " execute function rowlock.audit('1', 'now', '1', 'theirs.grab()')",
                    "update theirs.t set id = 1");
            assertThatThrownBy(() -> execute(theirs, "table rowlock.note")).hasMessageContaining("permission denied");
            assertThatThrownBy(() -> execute(theirs, "delete from rowlock.note"))
                    .hasMessageContaining("permission denied");
        }
        try (Connection admin = connect("")) {
            execute(admin, "set search_path = theirs");
            connection.close();
            connection = admin;
            assertThat(query("select string_agg(distinct who, ',') from theirs.seen"))
                    .isEqualTo(app);
        }
        connection = connect(owner);
    }

    /**
     * The guard ignores functions, operators and tables in the session's search_path that have the names of
     * PostgreSQL's.
     */
    @Test
    void aSearchPathCannotTakeOver() throws Exception {
        execute(
                connection,
                "create schema evil",
                "create function evil.pg_try_advisory_xact_lock(int, int) returns boolean language sql as 'select true'",
                "create function evil.pg_try_advisory_xact_lock(bigint) returns boolean language sql as 'select true'",
                "create function evil.current_setting(text, boolean) returns text language sql as $$ select 'off'::text $$",
                "create function evil.never(oid, oid) returns boolean language sql as 'select false'",
                "create operator evil.<> (leftarg = oid, rightarg = oid, function = evil.never)",
                "create table evil.pg_locks()",
                "create table evil.pg_index()",
                "set search_path = evil, pg_catalog, public",
                Install.schemaAndGuard("account"));

        assertThat(isGuarded(
                        "account",
                        7,
                        "set search_path = evil, pg_catalog, public;"
                                + " update account set balance = balance where id = 7"))
                .isTrue();
    }

    @Test
    void aSchemaOfAnotherRoleIsRefused() throws Exception {
        try (Connection admin = connect("")) {
            execute(admin, "create schema rowlock authorization " + app);
        }
        assertThatThrownBy(() -> execute(connection, RowLockGuard.schemaSql()))
                .hasMessageContainingAll(
                        "The schema rowlock belongs to " + app, "Install as that role, or drop the schema");
    }

    @Test
    void renamesOfTableColumnAndKeyAreFollowed() throws Exception {
        execute(
                connection,
                Install.schemaAndGuard("account"),
                "alter table account rename to \"Konto\"",
                "alter table \"Konto\" rename id to \"Nummer\"",
                "alter index account_pkey rename to konto_schluessel",
                "create schema s",
                "alter table \"Konto\" set schema s");

        assertThat(isGuarded("s.\"Konto\"", 7, "update s.\"Konto\" set balance = 0 where \"Nummer\" = 7"))
                .isTrue();
        assertThat(state("s.\"Konto\"")).isEqualTo(GuardState.CURRENT);
    }

    @Test
    void aTableThatTookTheNameIsNotGuardedAndSaysSo() throws Exception {
        execute(
                connection,
                Install.schemaAndGuard("account"),
                "create table next(like account including all)",
                "alter table account rename to old",
                "alter table next rename to account");

        assertThat(state("account")).isEqualTo(GuardState.MISSING);
        assertThat(state("old")).isEqualTo(GuardState.CURRENT);
    }

    /** The server itself refuses to change the primary key while the guard exists. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter table account drop constraint account_pkey",
                "alter table account drop column id",
                "alter table account alter id type text"
            })
    void theKeyCannotChangeUnderTheGuard(String change) throws Exception {
        execute(connection, Install.schemaAndGuard("account"));

        assertThatThrownBy(() -> execute(connection, change)).hasMessageContaining("trigger rowlock_guard");

        execute(connection, Install.removeGuard("account"), change);
        assertThat(state("account")).isEqualTo(GuardState.MISSING);
    }

    @Test
    void aKeyThatIsDroppedByForceTakesTheGuardWithIt() throws Exception {
        execute(
                connection,
                Install.schemaAndGuard("account"),
                "alter table account drop constraint account_pkey cascade",
                "alter table account add primary key (id, balance)");

        assertThat(state("account")).isEqualTo(GuardState.MISSING);
        execute(connection, Install.guard("account", 10));
        assertThat(isGuarded("account", List.of(7, 100), "update account set balance = 0 where id = 7"))
                .isTrue();
    }

    @Test
    void aRebuiltIndexIsFollowed() throws Exception {
        execute(connection, Install.schemaAndGuard("account"), "reindex table concurrently account");

        assertThat(state("account")).isEqualTo(GuardState.CURRENT);
        assertThat(isGuarded()).isTrue();
        assertThatThrownBy(() -> execute(connection, "alter table account drop constraint account_pkey"))
                .hasMessageContaining("trigger rowlock_guard");
    }

    @Test
    void aGuardSwitchedOffOnTheTableOrAPartitionSaysSo() throws Exception {
        execute(
                connection,
                "create table m(id int primary key) partition by range (id)",
                "create table m1 partition of m for values from (0) to (10)",
                Install.schemaAndGuard("account", "m"),
                "alter table account disable trigger rowlock_guard",
                "alter table m1 disable trigger all");

        assertThat(state("account")).isEqualTo(GuardState.DISABLED);
        assertThat(state("m")).isEqualTo(GuardState.DISABLED);
        assertThat(state("m1")).isEqualTo(GuardState.DISABLED);
        execute(
                connection,
                "alter table account enable trigger rowlock_guard",
                "alter table m1 enable always trigger rowlock_guard");
        assertThat(state("account")).isEqualTo(GuardState.CURRENT);
        assertThat(state("m")).isEqualTo(GuardState.CURRENT);
    }

    @Test
    void aGuardOfAnotherVersionSaysSo() throws Exception {
        execute(connection, Install.schemaAndGuard("account"));
        String trigger = query("select definition from rowlock.guards");
        for (String other :
                List.of(trigger.replace("('2', '1', ", "('1', '1', "), trigger.replace("('2', '1', ", "('2', '2', "))) {
            execute(connection, other.replace("CREATE TRIGGER", "create or replace trigger"));
            assertThat(state("account")).isEqualTo(GuardState.OUTDATED);
        }
        execute(connection, Install.guard("account", 10));
        assertThat(state("account")).isEqualTo(GuardState.CURRENT);

        execute(
                connection,
                "create or replace function rowlock.version(out guard int4, out key int4) language sql immutable as 'select 3, 1'",
                Install.guard("account", 10));
        assertThat(state("account")).isEqualTo(GuardState.OUTDATED);
        execute(connection, Install.schemaAndGuard("account"));
        assertThat(state("account")).isEqualTo(GuardState.CURRENT);
    }

    @Test
    void aGuardOfColumnsGivenNeedsNoPrimaryKey() throws Exception {
        execute(
                connection,
                "create table log(number int, note text)",
                "insert into log values (7)",
                RowLockGuard.schemaSql(),
                Install.guard("log", 10, "number"));

        assertThat(state("log")).isEqualTo(GuardState.CURRENT);
        assertThat(isGuarded("log", 7, "delete from log")).isTrue();
        assertThatThrownBy(() -> execute(connection, "alter table log drop column number"))
                .hasMessageContaining("trigger rowlock_guard");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create table bad(id int)| has no primary key",
                "create table bad(id float8 primary key)|is of type double precision, which cannot be a lock key",
                "create table bad(id boolean primary key)|is of type boolean",
                "create table bad(id bytea primary key)|is of type bytea",
                "create table bad(id interval primary key)|is of type interval",
                "create table bad(id timetz primary key)|is of type time with time zone",
                "create table bad(id int[] primary key)|is of type integer[]",
                "create domain d as float4; create table bad(id d primary key)|is of type real",
                "create collation ci (provider = icu, locale = 'und', deterministic = false);"
                        + " create table bad(id text collate ci primary key)|has a nondeterministic collation",
                "create extension citext; create table bad(id citext primary key)|is of type public.citext",
                "create view bad as select 1 as id|is not a table",
                "create table p(id int primary key) partition by range (id);"
                        + " create table bad partition of p for values from (0) to (1)|is a partition of public.p",
                "create table bad(id int primary key); create table child() inherits (bad)|in a tree of INHERITS",
                "create table p(id int primary key); create table bad(primary key (id)) inherits (p)|in a tree of INHERITS"
            })
    void whatHasNoKeyIsRefused(String given) throws Exception {
        String[] parts = given.split("\\|");
        execute(connection, RowLockGuard.schemaSql(), parts[0]);

        for (String sql : List.of(Install.guard("bad", 10), Install.audit("bad", 1))) {
            assertThatThrownBy(() -> execute(connection, sql)).hasMessageContaining(parts[1]);
        }
    }

    @Test
    void whatCannotBeAskedForIsRefused() throws Exception {
        execute(connection, RowLockGuard.schemaSql());
        assertThatThrownBy(() -> execute(connection, Install.guard("account", 0)))
                .hasMessageContaining("The budget is 0");
        assertThatThrownBy(() -> execute(connection, Install.guard("account", 1, "nummer")))
                .hasMessageContaining("has no column nummer");
        assertThatThrownBy(() -> execute(connection, Install.guard("nothing", 1)))
                .hasMessageContaining("\"nothing\" does not exist");
        assertThatThrownBy(() -> execute(connection, Install.guard("a b", 1)))
                .hasMessageContaining("invalid name syntax");
        assertThatThrownBy(() -> state("nothing")).hasMessageContaining("\"nothing\" does not exist");
    }

    @Test
    void namesThatNeedQuotesAreQuoted() throws Exception {
        execute(
                connection,
                "create schema \"S'\\x\"",
                "create table \"S'\\x\".\"T \"\"q\"(\"I'\\d\" int primary key)",
                "insert into \"S'\\x\".\"T \"\"q\" values (7)",
                Install.schemaAndGuard("\"S'\\x\".\"T \"\"q\""),
                Install.audit("\"S'\\x\".\"T \"\"q\"", 0.5, "I'\\d"),
                Install.guard("\"S'\\x\".\"T \"\"q\"", 5, "I'\\d"));

        assertThat(state("\"S'\\x\".\"T \"\"q\"")).isEqualTo(GuardState.CURRENT);
        assertThat(isGuarded("\"S'\\x\".\"T \"\"q\"", 7, "delete from \"S'\\x\".\"T \"\"q\""))
                .isTrue();
    }

    @Test
    void aDumpBringsTheGuardAlong(@TempDir Path directory) throws Exception {
        PGSimpleDataSource server = TestPostgres.shared().dataSource();
        Matcher version = VERSION.matcher(ClientProgram.run(server, "pg_dump", "--version"));
        assertThat(version.find()).isTrue();
        assumeTrue(
                Integer.parseInt(version.group(1)) >= Integer.parseInt(query("show server_version_num")) / 10_000,
                "skipped: pg_dump is older than the server");
        execute(
                connection,
                "create table m(day date, id int, primary key (id, day)) partition by range (day)",
                "create table m1 partition of m for values from ('2026-01-01') to ('2027-01-01')",
                "insert into m values ('2026-07-01', 7)",
                Install.schemaAndGuard("account", "m"),
                Install.audit("account", 0.5),
                "update account set balance = 1 where id = 7");
        Path dump = directory.resolve("dump.sql");
        ClientProgram.run(server, "pg_dump", "-f", dump.toString(), name);
        try (Connection admin = TestPostgres.shared().dataSource().getConnection()) {
            // All databases of a server get their OIDs from one counter, so the tables of the copy have other OIDs.
            execute(admin, "create database " + name + "_2 owner " + owner);
        }
        ClientProgram.run(server, "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump.toString(), name + "_2");
        connection.close();
        server.setDatabaseName(name + "_2");
        try (Connection copy = server.getConnection(owner, "x");
                Connection locker = server.getConnection(owner, "x")) {
            connection = connect(owner);
            assertThat(RowLockGuard.stateOf(copy, "account")).isEqualTo(GuardState.CURRENT);
            assertThat(RowLockGuard.stateOf(copy, "m")).isEqualTo(GuardState.CURRENT);
            assertThat(query(copy, "select relation from rowlock.audits")).isEqualTo("account");
            locker.setAutoCommit(false);
            locks(LockStrategy.ADVISORY)
                    .in(locker)
                    .lock(forUpdate(List.of(LockKey.row("account", 7), LockKey.row("m", 7, LocalDate.of(2026, 7, 1)))));
            for (String sql : List.of("delete from account where id = 7", "delete from m1")) {
                assertThatThrownBy(() -> execute(copy, sql)).hasMessageContaining("locked by another transaction");
            }
            locker.rollback();
        }
    }
}
