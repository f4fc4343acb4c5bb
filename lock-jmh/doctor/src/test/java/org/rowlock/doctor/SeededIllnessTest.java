package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Clinic.address;
import static org.rowlock.doctor.Clinic.later;
import static org.rowlock.doctor.Clinic.settle;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * Illnesses, each sown in a server of its own, and servers that only look ill: the first advice is right, or there is
 * none.
 */
@SuppressWarnings("try") // A load is there to run.
class SeededIllnessTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of(
            "shared_preload_libraries", "pg_stat_statements", "autovacuum", "off", "max_prepared_transactions", "10"));

    private static final String WORK = "select pg_sleep(0.005)";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            SERVER,
            // Few rows on many pages, which is what a scan costs.
            "create table account (id int primary key, code int, balance int not null default 0) with (fillfactor = 10)",
            "insert into account select g, g from generate_series(1, 4000) g",
            "create table entry (id serial primary key, account int, line text) with (fillfactor = 10)",
            "insert into entry (account) select 2000 + g % 1000 from generate_series(1, 4000) g",
            "alter table entry add foreign key (account) references account",
            "create table counter (name text primary key, value int not null)",
            "create table total (id int primary key, value int not null)",
            "insert into total values (1, 0)",
            "create function add_total() returns trigger language plpgsql as"
                    + " $$ begin update total set value = value + 1 where id = 1; return new; end $$",
            "create function raise_total() returns void language sql as"
                    + " $$ update total set value = value + 1 where id = 1 $$",
            "create table sale (id serial primary key, value int)",
            "create trigger add_total after insert on sale for each row execute function add_total()",
            "create table job (id serial primary key, state text)",
            "insert into job (state) select 'ready' from generate_series(1, 2000)",
            "analyze");

    /**
     * @param first of the rule of the first advice
     * @param contains what the first advice says; {@code <pid>} is that of the holder
     * @param holder statements of the session that is forgotten; empty for none
     * @param waiting what those behind it run, each in a session
     * @param load what clients run again and again, in messages of several statements; empty for none
     */
    private record Illness(
            String name, String first, String contains, List<String> holder, List<String> waiting, List<String> load) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Illness forgotten(String name, String holder, String... waiting) {
        return new Illness(
                "forgotten: " + name,
                "blocker",
                "pg_terminate_backend(<pid>)",
                List.of(holder.split("; ")),
                List.of(waiting),
                List.of());
    }

    private static Illness prepared(String name, String holder, String... waiting) {
        List<String> all = new ArrayList<>(List.of(holder.split("; ")));
        all.add("prepare transaction 'gid-of-it'");
        return new Illness(
                "prepared: " + name, "blocker", "rollback prepared 'gid-of-it'", all, List.of(waiting), List.of());
    }

    /** What stands in front of everybody waits itself. */
    private static Illness behind(String name, String holder, String... waiting) {
        return new Illness(
                name + " behind an open transaction",
                "blocker",
                "lock_timeout",
                List.of(holder),
                List.of(waiting),
                List.of());
    }

    private static Illness load(String name, String first, String contains, String... load) {
        return new Illness(name, first, contains, List.of(), List.of(), List.of(load));
    }

    /** Each way of holding up others with each kind of those behind it. */
    static Stream<Illness> forgotten() {
        String lock = "select * from account where id = 7 for update";
        String update = "update account set balance = balance + 1 where id = 7";
        String child = "insert into entry (account) values (7)";
        String insert = "insert into counter values ('visits', 1)";
        String upsert = insert + " on conflict (name) do update set value = counter.value + 1";
        return Stream.of(
                forgotten("a row, locked", lock, lock, update),
                forgotten("a row, updated", update, update, "delete from account where id = 7"),
                forgotten(
                        "a row, FOR NO KEY UPDATE",
                        "select * from account where id = 7 for no key update",
                        lock,
                        update),
                forgotten("a deleted row", "delete from account where id = 7", lock, child),
                forgotten("a row, by a cursor", "declare c cursor for " + lock + "; fetch c", update, lock),
                forgotten(
                        "a row, by a function", "select raise_total()", "select raise_total()", "select raise_total()"),
                forgotten("REINDEX", "reindex table job", "insert into job (state) values ('x')", "delete from job"),
                forgotten("a row, for share", "select * from account where id = 7 for share", update, update),
                forgotten("a parent's row", lock, child),
                forgotten("a unique key", insert, insert, upsert),
                forgotten("an upsert", upsert, upsert, upsert),
                forgotten(
                        "behind a trigger",
                        "insert into sale (value) values (1)",
                        "insert into sale (value) values (2)"),
                forgotten("LOCK TABLE", "lock table account in exclusive mode", lock, update),
                forgotten(
                        "ALTER TABLE",
                        "alter table account add column note text",
                        lock,
                        "select count(*) from account"),
                forgotten("CREATE INDEX", "create index on account (code)", update, update),
                forgotten(
                        "TRUNCATE", "truncate job", "select count(*) from job", "insert into job (state) values ('x')"),
                forgotten("an advisory lock", "select pg_advisory_xact_lock(42)", "select pg_advisory_xact_lock(42)"),
                forgotten(
                        "an advisory lock of the session",
                        "select pg_advisory_lock(43); commit",
                        "select pg_advisory_xact_lock(43)"),
                forgotten("DROP TABLE", "drop table job", "select count(*) from job"),
                prepared("a row", lock, lock, update),
                prepared("a unique key", insert, insert),
                prepared("a parent's row", lock, child),
                prepared("ALTER TABLE", "alter table account add column note text", "select count(*) from account"),
                prepared("an advisory lock", "select pg_advisory_xact_lock(44)", "select pg_advisory_xact_lock(44)"),
                prepared("LOCK TABLE", "lock table job", "select count(*) from job", "delete from job"),
                behind("DDL", "select count(*) from account", "alter table account add column note text", lock),
                behind(
                        "CREATE INDEX",
                        update,
                        "create index on account (balance)",
                        "update account set balance = 0 where id = 9"),
                behind("TRUNCATE", "select count(*) from job", "truncate job", "select 1 from job"),
                behind("VACUUM FULL", "select count(*) from job", "vacuum full job", "select 1 from job"));
    }

    static Stream<Illness> loads() {
        String first = "update account set balance = balance + 1 where id = 7";
        String second = "update account set balance = balance + 1 where id = 8";
        String failing =
                "insert into counter values ('visits', 1) on conflict (name) do update set value = counter.value + 1";
        return Stream.of(
                load(
                        "FOR UPDATE without an index",
                        "missing-index",
                        "account",
                        "begin; select * from account where code = :client for update; commit"),
                load(
                        "UPDATE without an index",
                        "missing-index",
                        "account",
                        "update account set balance = balance + 1 where code = :client"),
                load(
                        "FOR NO KEY UPDATE of a function of the column",
                        "missing-index",
                        "account",
                        "begin; select * from account where id + 0 = :client for no key update; commit"),
                load(
                        "a foreign key without an index",
                        "missing-index",
                        "entry",
                        "begin; update account set id = id + 1000000 where id = 100 + :client; rollback"),
                load(
                        "DELETE without an index",
                        "missing-index",
                        "account",
                        "delete from account where code = -:client"),
                load(
                        "FOR UPDATE by an expression",
                        "missing-index",
                        "account",
                        "begin; select * from account where code::text = ':client' for update; commit"),
                load(
                        "SKIP LOCKED without an index",
                        "claim",
                        "SKIP LOCKED",
                        "begin; select * from account where code = 4000 - :client for update skip locked; commit"),
                load(
                        "two rows in two orders",
                        "deadlocks",
                        "in the same order",
                        "begin; " + first + "; " + WORK + "; " + second + "; commit",
                        "begin; " + second + "; " + WORK + "; " + first + "; commit"),
                load("one row, by a function", "convoy", "total", "begin; select raise_total(); " + WORK + "; commit"),
                load(
                        "one row, held for a long statement",
                        "shorter-statements",
                        "account",
                        "begin; select * from account where id = 7 for update; select pg_sleep(0.4); commit"),
                load(
                        "an upsert of one row",
                        "convoy-of-writes",
                        "counter",
                        "begin; " + failing + "; " + WORK + "; commit"),
                load(
                        "a total behind a trigger",
                        "convoy-of-writes",
                        "total",
                        "begin; insert into sale (value) values (1); " + WORK + "; commit"),
                load(
                        "one row, FOR NO KEY UPDATE",
                        "convoy",
                        "account",
                        "begin; select * from account where id = 7 for no key update; " + WORK + "; commit"),
                load(
                        "one row, by a common table expression",
                        "convoy",
                        "account",
                        "begin; with a as (select * from account where id = 7 for update) select * from a; " + WORK
                                + "; commit"),
                load(
                        "one advisory lock",
                        "other",
                        "Lock:advisory",
                        "begin; select pg_advisory_xact_lock(42); " + WORK + "; commit"),
                load(
                        "TRUNCATE",
                        "other",
                        "Lock:relation: Empty the table with DELETE",
                        "begin; truncate job; " + WORK + "; commit"),
                load("LOCK TABLE", "other", "Lock:relation", "begin; lock table job; " + WORK + "; commit"),
                load(
                        "a storm of NOWAIT",
                        "nowait-storm",
                        "lock_timeout",
                        "begin; select * from account where id = 7 for update nowait; " + WORK + "; commit"),
                load(
                        "a storm of 40001 in REPEATABLE READ",
                        "rollbacks",
                        "the server's log has the SQLSTATE",
                        "begin isolation level repeatable read; select count(*) from total; " + WORK
                                + "; update total set value = value + 1 where id = 1; commit"),
                load(
                        "a storm of 40001 in SERIALIZABLE",
                        "serialization",
                        "READ COMMITTED",
                        "begin isolation level serializable; select sum(value) from total; " + WORK
                                + "; update total set value = value + 1 where id = 1; commit"),
                load(
                        "a parent FOR UPDATE beside inserts of children",
                        "no-key-update",
                        "account",
                        "begin; select * from account where id = 7 for update; " + WORK + "; commit",
                        "insert into entry (account) values (7)"));
    }

    /** What looks ill, and is not. */
    static Stream<List<String>> healthy() {
        return Stream.of(
                List.of("select count(*) from job"),
                List.of("insert into job (state) select 'new' from generate_series(1, 100)"),
                List.of("begin; select * from job where state = 'ready' order by id limit 1 for update skip locked; "
                        + WORK + "; commit"),
                List.of("begin; select pg_advisory_xact_lock(:client); " + WORK + "; commit"),
                List.of("begin; select * from account where id = :client for update nowait; " + WORK + "; commit"),
                List.of(
                        "insert into counter values (':client', 1) on conflict (name) do update set value = counter.value + 1"),
                List.of("begin isolation level serializable; select * from account where id = :client; " + WORK
                        + "; commit"),
                List.of("begin; select * from account where id = :client; " + WORK + "; rollback"),
                List.of("begin; insert into entry (account) values (:client); " + WORK + "; commit"),
                List.of(
                        "begin; update account set balance = balance + 1 where id = 100 + :client; " + WORK
                                + "; commit",
                        "select 1"));
    }

    @BeforeEach
    void installStatements() throws SQLException {
        database.execute("create extension if not exists pg_stat_statements schema public");
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("forgotten")
    void whoHoldsUpOthersIsNamed(Illness illness) throws Exception {
        Session holder = database.session("holder");
        int pid = holder.pid();
        for (String sql : illness.holder()) {
            holder.execute(sql);
        }
        List<Step<Boolean>> steps = new ArrayList<>();
        for (int i = 0; i < illness.waiting().size(); i++) {
            Session session = database.session("waiter" + i);
            session.connection().setAutoCommit(true);
            steps.add(session.startExecute(illness.waiting().get(i)));
            int waiting = i + 1;
            TestDatabase.await("it waits")
                    .until(() -> database.query("select count(distinct pid) from pg_locks where not granted")
                            .equals(Integer.toString(waiting)));
        }
        settle(SERVER);
        Diagnosis diagnosis;
        try {
            diagnosis = Doctor.examine(later(SERVER, database), samples -> samples.count() >= 2);
        } finally {
            holder.rollback();
            if (illness.name().startsWith("prepared")) {
                database.execute("rollback prepared 'gid-of-it'");
            }
            if (illness.name().contains("of the session")) {
                holder.execute("select pg_advisory_unlock_all()");
            }
        }
        for (Step<Boolean> step : steps) {
            ended(step);
        }
        assertFirst(diagnosis, illness.first(), illness.contains().replace("<pid>", Integer.toString(pid)));
    }

    /** Whatever has become of it. */
    private static void ended(Step<?> step) throws Exception {
        try {
            step.get();
        } catch (SQLException e) {
            // What it waited for may be there now, or gone.
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("loads")
    void theCauseComesFirst(Illness illness) throws Exception {
        try (Load load = clients(illness.load())) {
            assertFirst(examine(load), illness.first(), illness.contains());
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("healthy")
    void nothingIsAdvisedWhereNothingIsWrong(List<String> work) throws Exception {
        try (Load load = clients(work)) {
            Diagnosis diagnosis = examine(load);
            assertThat(diagnosis.advice()).as(diagnosis.text(100, true)).isEmpty();
        }
    }

    private Load clients(List<String> work) {
        int size = work.size() == 1 && !work.get(0).contains("pg_sleep") ? 4 : 20;
        // What keeps a snapshot from one statement to the next is seen between them.
        boolean apart = work.get(0).contains("isolation level");
        return Load.start(Clinic.simple(database.dataSource()), size, (client, connection) -> {
            String sql = work.get(client % work.size()).replace(":client", Integer.toString(client + 1));
            try (Statement statement = connection.createStatement()) {
                for (String each : apart ? sql.split("; ") : new String[] {sql}) {
                    statement.execute(each);
                }
            } catch (SQLException e) {
                rollback(connection);
            }
        });
    }

    private static void rollback(Connection connection) throws SQLException {
        TestDatabase.execute(connection, "rollback");
    }

    /** Until the sessions have reported what they did, which they do about once a second. */
    private static Diagnosis examine(Load load) {
        return Doctor.examine(address(SERVER), samples -> samples.count() >= 15 && load.rounds() >= 10);
    }

    private void assertFirst(Diagnosis diagnosis, String rule, String contains) {
        String all = diagnosis.text(Clinic.WIDE, true);
        assertThat(diagnosis.advice()).as(all).isNotEmpty();
        Advice first = diagnosis.advice().get(0);
        assertThat(first.rule()).as(all).isEqualTo(rule);
        assertThat(first.subject() + ": " + first.action()).as(all).contains(contains);
    }
}
