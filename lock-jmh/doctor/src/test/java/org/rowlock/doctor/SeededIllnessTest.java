package org.rowlock.doctor;

import static org.rowlock.doctor.Clinic.address;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * Checks servers with one illness each, and healthy servers that look ill. For an illness, the first advice must be
 * right. A healthy server must get no advice.
 */
@SuppressWarnings("try") // A load is there to run.
class SeededIllnessTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of(
            "shared_preload_libraries", "pg_stat_statements", "autovacuum", "off", "max_prepared_transactions", "10"));

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            SERVER,
            "create extension if not exists pg_stat_statements schema public",
            // The table has few rows on many pages, because the pages determine the cost of a scan.
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
            "create table part (id serial primary key, total int references total)",
            "create trigger add_total after insert on part for each row execute function add_total()",
            "create table job (id serial primary key, state text)",
            "insert into job (state) select 'ready' from generate_series(1, 2000)",
            "analyze");

    /** The SQL that the rows below share. The rows refer to it by a name in braces. */
    private static final Map<String, String> SQL = Map.of(
            "{work}", "select pg_sleep(0.005)",
            "{lock}", "select * from account where id = 7 for update",
            "{update}", "update account set balance = balance + 1 where id = 7",
            "{child}", "insert into entry (account) values (7)",
            "{insert}", "insert into counter values ('visits', 1)",
            "{upsert}",
                    "insert into counter values ('visits', 1) on conflict (name) do update"
                            + " set value = counter.value + 1",
            "{note}", "alter table account add column note text",
            "{sale}", "insert into sale (value) values (1)",
            "{new job}", "insert into job (state) values ('x')");

    private static String sql(String row) {
        String sql = row;
        for (Map.Entry<String, String> each : SQL.entrySet()) {
            sql = sql.replace(each.getKey(), each.getValue());
        }
        return sql;
    }

    /** Combines each way to block other sessions with each kind of blocked session. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a row, locked                   | forgotten | {lock} | {lock} & {update}
            a row, updated                  | forgotten | {update} | {update} & delete from account where id = 7
            a row, FOR NO KEY UPDATE        | forgotten \
                | select * from account where id = 7 for no key update | {lock} & {update}
            a deleted row                   | forgotten | delete from account where id = 7 | {lock} & {child}
            a row, by a cursor              | forgotten | declare c cursor for {lock}; fetch c | {update} & {lock}
            a row, by a function            | forgotten | select raise_total() \
                | select raise_total() & select raise_total()
            REINDEX                         | forgotten | reindex table job | {new job} & delete from job
            a row, for share                | forgotten | select * from account where id = 7 for share \
                | {update} & {update}
            a parent's row                  | forgotten | {lock} | {child}
            a unique key                    | forgotten | {insert} | {insert} & {upsert}
            an upsert                       | forgotten | {upsert} | {upsert} & {upsert}
            behind a trigger                | forgotten | {sale} | {sale}
            LOCK TABLE                      | forgotten | lock table account in exclusive mode | {lock} & {update}
            ALTER TABLE                     | forgotten | {note} | {lock} & select count(*) from account
            CREATE INDEX                    | forgotten | create index on account (code) | {update} & {update}
            TRUNCATE                        | forgotten | truncate job | select count(*) from job & {new job}
            an advisory lock                | forgotten | select pg_advisory_xact_lock(42) \
                | select pg_advisory_xact_lock(42)
            an advisory lock of the session | forgotten | select pg_advisory_lock(43); commit \
                | select pg_advisory_xact_lock(43)
            DROP TABLE                      | forgotten | drop table job | select count(*) from job
            a row                           | prepared  | {lock} | {lock} & {update}
            a unique key                    | prepared  | {insert} | {insert}
            a parent's row                  | prepared  | {lock} | {child}
            ALTER TABLE                     | prepared  | {note} | select count(*) from account
            an advisory lock                | prepared  | select pg_advisory_xact_lock(44) \
                | select pg_advisory_xact_lock(44)
            LOCK TABLE                      | prepared  | lock table job | select count(*) from job & delete from job
            # What stands in front of all others waits itself.
            DDL                             | behind    | select count(*) from account | {note} & {lock}
            CREATE INDEX                    | behind    | {update} | create index on account (balance) & {update}
            TRUNCATE                        | behind    | select count(*) from job | truncate job & select 1 from job
            VACUUM FULL                     | behind    | select count(*) from job | vacuum full job & select 1 from job
            """)
    void whoHoldsUpOthersIsNamed(String name, String kind, String held, String waiting) throws Exception {
        Session holder = database.session("holder");
        for (String sql : sql(held).split("; ")) {
            holder.execute(sql);
        }
        boolean isPrepared = kind.equals("prepared");
        if (isPrepared) {
            holder.execute("prepare transaction 'gid-of-it'");
        }
        List<Step<Boolean>> steps = Clinic.waiting(database, sql(waiting).split(" & "));
        Diagnosis diagnosis;
        try {
            diagnosis = Clinic.look(SERVER, database);
        } finally {
            holder.rollback();
            if (isPrepared) {
                database.execute("rollback prepared 'gid-of-it'");
            }
            holder.execute("select pg_advisory_unlock_all()");
        }
        Clinic.awaitEnd(steps);
        String advised = switch (kind) {
            case "prepared" -> "rollback prepared 'gid-of-it'";
            case "behind" -> "lock_timeout";
            default -> "pg_terminate_backend(" + holder.pid() + ")";
        };
        Clinic.assertFirst(diagnosis, "blocker", advised);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            FOR UPDATE without an index | missing-index | account \
                | begin; select * from account where code = :client for update; commit
            UPDATE without an index | missing-index | account \
                | update account set balance = balance + 1 where code = :client
            FOR NO KEY UPDATE of a function of the column | missing-index | account \
                | begin; select * from account where id + 0 = :client for no key update; commit
            a foreign key without an index | missing-index | entry \
                | begin; update account set id = id + 1000000 where id = 100 + :client; rollback
            DELETE without an index | missing-index | account | delete from account where code = -:client
            FOR UPDATE by an expression | missing-index | account \
                | begin; select * from account where code::text = ':client' for update; commit
            SKIP LOCKED without an index | claim | SKIP LOCKED \
                | begin; select * from account where code = 4000 - :client for update skip locked; commit
            two rows in two orders | deadlocks | in the same order \
                | begin; {update}; {work}; update account set balance = balance + 1 where id = 8; commit \
                & begin; update account set balance = balance + 1 where id = 8; {work}; {update}; commit
            one row, by a function | convoy | total | begin; select raise_total(); {work}; commit
            one row, held for a long statement | shorter-statements | account \
                | begin; {lock}; select pg_sleep(0.7); commit
            an upsert of one row | convoy-of-writes | counter | begin; {upsert}; {work}; commit
            a total behind a trigger | convoy-of-writes | total | begin; {sale}; {work}; commit
            # The check of the foreign key locks the row first, so that the UPDATE takes no tuple lock.
            a parent's total behind a trigger | convoy-of-writes | total \
                | begin; insert into part (total) values (1); {work}; commit
            one row, FOR NO KEY UPDATE | convoy | account \
                | begin; select * from account where id = 7 for no key update; {work}; commit
            one row, by a common table expression | convoy | account \
                | begin; with a as ({lock}) select * from a; {work}; commit
            one advisory lock | other | Lock:advisory | begin; select pg_advisory_xact_lock(42); {work}; commit
            TRUNCATE | other | Lock:relation: Empty the table with DELETE | begin; truncate job; {work}; commit
            LOCK TABLE | other | Lock:relation | begin; lock table job; {work}; commit
            a storm of NOWAIT | nowait-storm | lock_timeout | begin; {lock} nowait; {work}; commit
            a storm of 40001 in REPEATABLE READ | rollbacks | the server's log has the SQLSTATE \
                | begin isolation level repeatable read ~ select count(*) from total ~ {work} \
                ~ update total set value = value + 1 where id = 1 ~ commit
            a storm of 40001 in SERIALIZABLE | serialization | READ COMMITTED \
                | begin isolation level serializable ~ select sum(value) from total ~ {work} \
                ~ update total set value = value + 1 where id = 1 ~ commit
            a parent FOR UPDATE beside inserts of children | no-key-update | account \
                | begin; {lock}; {work}; commit & {child}
            """)
    void theCauseComesFirst(String name, String first, String contains, String work) throws Exception {
        Clinic.assertFirst(load(work), first, contains);
    }

    /** Healthy servers that look ill. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            select count(*) from job
            insert into job (state) select 'new' from generate_series(1, 100)
            begin; select * from job where state = 'ready' order by id limit 1 for update skip locked; {work}; commit
            begin; select pg_advisory_xact_lock(:client); {work}; commit
            begin; select * from account where id = :client for update nowait; {work}; commit
            insert into counter values (':client', 1) on conflict (name) do update set value = counter.value + 1
            begin isolation level serializable ~ select * from account where id = :client ~ {work} ~ commit
            begin; select * from account where id = :client; {work}; rollback
            begin; insert into entry (account) values (:client); {work}; commit
            begin; update account set balance = balance + 1 where id = 100 + :client; {work}; commit & select 1
            """)
    void nothingIsAdvisedWhereNothingIsWrong(String work) throws Exception {
        Clinic.assertHealthy(load(work));
    }

    private Diagnosis load(String work) throws Exception {
        String all = sql(work);
        int size = all.contains(" & ") || all.contains("pg_sleep") ? 20 : 4;
        try (Load load = Clinic.clients(database, size, all.split(" & "))) {
            return load.examine(address(SERVER));
        }
    }
}
