package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Clinic.address;
import static org.rowlock.doctor.Clinic.later;

import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * Checks illnesses that were written without knowledge of the rules, each with the first advice that a DBA would give.
 */
@Tag("long")
@SuppressWarnings("try") // A load is there to run.
class IndependentIllnessTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of(
            "shared_preload_libraries", "pg_stat_statements",
            "autovacuum", "off",
            "fsync", "on",
            "commit_siblings", "0",
            "deadlock_timeout", "50ms",
            "wal_level", "logical"));

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            SERVER,
            "create extension if not exists pg_stat_statements schema public",
            "create table customer (id int primary key, name text)",
            "insert into customer select g, 'c' || g from generate_series(1, 10) g",
            "create table orders (id int primary key, customer int references customer, state text)",
            "insert into orders select g, 1, 'new' from generate_series(1, 4000) g",
            "create index on orders (customer)",
            "create table request (key text primary key, answer text)",
            "create table job (id serial primary key, state text)",
            "insert into job (state) select 'ready' from generate_series(1, 2000)",
            "create table event (id serial primary key, line text)",
            "create function slow(int) returns int immutable language plpgsql as"
                    + " $$ begin perform pg_sleep(0.005); return $1; end $$",
            "create materialized view report as select slow(id) from orders with no data",
            "analyze");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # All orders are of one customer, whose row the join locks too.
            a join locks the row that is only read | lock-less \
                | customer: Lock only the rows to be changed: FOR UPDATE OF \
                | begin; select * from orders o join customer c on c.id = o.customer where o.id = :client for update; \
                {work}; update orders set state = 'paid' where id = :client; commit
            a shared lock is upgraded | deadlocks | customer: Lock the row FOR NO KEY UPDATE first \
                | begin; select * from customer where id = 1 for share; {work}; \
                update customer set name = 'x' where id = 1; commit
            workers take the first job without SKIP LOCKED | lock-less | job: Add SKIP LOCKED \
                | begin; with j as (select id from job where state = 'ready' order by id limit 1 for update) \
                update job set state = 'done' from j where job.id = j.id; {work}; commit
            workers update the first job without a lock | lock-less | job: Add SKIP LOCKED \
                | begin; update job set state = 'done' where id = \
                (select id from job where state = 'ready' order by id limit 1); {work}; commit
            workers fetch the next job without SKIP LOCKED | lock-less | job: Add SKIP LOCKED \
                | begin; select id from job where state = 'ready' order by id fetch next 1 rows only for update; \
                {work}; commit
            # Each shares the row of the customer by its foreign key, and then wants it alone.
            a child is inserted before its parent is locked | deadlocks \
                | customer: Lock the row FOR NO KEY UPDATE first, before you insert a row that refers to it \
                | begin; insert into orders select 5000 + (random() * 1e9)::int, 1, 'new'; {work} \
                ~ select * from customer where id = 1 for update; commit
            # NOTIFY takes one lock of the whole cluster, which its transaction keeps until the commit is safe.
            every commit notifies | other | Lock:object: Send fewer NOTIFYs \
                | set synchronous_commit = on; set commit_delay = 5000; begin; \
                insert into event (line) values ('x'); notify news, 'x'; commit
            the application locks the table | other | Lock:relation: Lock the rows, or take an advisory lock \
                | begin; lock table customer in share row exclusive mode; {work}; \
                update customer set name = 'x' where id = :client; commit
            a batch locks every row beside small updates | shorter-statements | orders: Write in batches \
                | update orders set state = 'old' where id <= 400 and pg_sleep(0.003) is not null \
                & {update 1} & {update 1} & {update 1} & {update 51} & {update 51} & {update 51} \
                & {update 101} & {update 101} & {update 101}
            a query of another table runs under the lock | shorter-statements | customer: Shorten the statements \
                | begin; select * from customer where id = 1 for update ~ select max(slow(id)) from orders where id < 20 \
                ~ commit
            requests of one key wait for the first insert | other \
                | Lock:transactionid: Commit an inserted key before other work \
                | begin; insert into request (key) values ('k') on conflict do nothing; select pg_sleep(0.05); \
                delete from request where key = 'k'; commit
            """)
    void theCauseComesFirst(String name, String rule, String contains, String work) throws Exception {
        Clinic.assertFirst(load(work), rule, contains);
    }

    @Test
    void aJoinLocksTheRowsThatItDeletes() throws Exception {
        database.execute("insert into request values ('k')");
        Diagnosis diagnosis = load("begin; select * from orders o cross join request r where o.id = :client"
                + " and r.key = 'k' for update; {work}"
                + "; delete from request where key = 'k'; insert into request values ('k'); commit");
        assertThat(diagnosis.seen().rowWaits())
                .as(diagnosis.text(Clinic.WIDE, true))
                .isPositive();
        assertThat(diagnosis.advice())
                .as(diagnosis.text(Clinic.WIDE, true))
                .extracting(Advice::rule)
                .doesNotContain("lock-less");
    }

    @Test
    void updatesThatFindNothingBesideAReportAreHealthy() throws Exception {
        String update = "update orders set state = 'x' where id = :client and slow(id) = 0 & ";
        Clinic.assertHealthy(load(update.repeat(3) + "select count(*) from orders; select pg_sleep(0.02)"));
    }

    /** The creation of the slot waits for the forgotten transaction, and for no row. */
    @Test
    void aSlotIsCreatedBesideAForgottenTransaction() throws Exception {
        Session holder = database.session("holder");
        holder.execute("update orders set state = 'x' where id = 1");
        var steps = Clinic.waiting(database, "select pg_create_logical_replication_slot('later', 'pgoutput')");
        Diagnosis diagnosis = Clinic.look(SERVER, database);
        holder.rollback();
        steps.get(0).get();
        database.execute("select pg_drop_replication_slot('later')");
        Clinic.assertFirst(diagnosis, "blocker", "End its transaction, pg_terminate_backend(" + holder.pid() + ")");
        assertThat(diagnosis.verdict()).contains("0 wait for a row");
    }

    /** A statement that runs for minutes is detected while it runs, so the advice is to cancel the statement. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            an index is built beside writers | create index slow on orders (slow(id)) \
                | pg_cancel_backend(<pid>), and build the index CONCURRENTLY \
                | update orders set state = 'paid' where id = 1 & update orders set state = 'paid' where id = 2
            a view is refreshed beside readers | refresh materialized view report \
                | pg_cancel_backend(<pid>), and REFRESH it CONCURRENTLY \
                | select count(*) from report & select count(*) from report
            # The report is innocent.
            a change of the table waits for a report and all for the change | select count(slow(id)) from orders \
                | it waits and blocks all others \
                | alter table orders add column note text & select * from orders where id = 2 \
                & update orders set state = 'paid' where id = 3
            """)
    void whatRunsForMinutesIsFound(String name, String held, String contains, String waiting) throws Exception {
        Session holder = database.session("holder");
        Step<Boolean> running = holder.startExecute(held);
        Clinic.await(database, "pg_stat_activity where pid = " + holder.pid() + " and wait_event = 'PgSleep'", 1);
        var steps = Clinic.waiting(database, waiting.split(" & "));
        Diagnosis diagnosis = Clinic.look(SERVER, database);
        holder.cancel();
        assertThat(running.failure()).isInstanceOf(SQLException.class);
        holder.rollback();
        Clinic.awaitEnd(steps);
        Clinic.assertFirst(diagnosis, "blocker", contains.replace("<pid>", Integer.toString(holder.pid())));
        assertThat(diagnosis.advice().get(0).figure()).contains("(it holds ");
    }

    @Test
    void anIndexConcurrentlyWaitsForAForgottenTransaction() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from orders where id = 1");
        var steps = Clinic.waiting(database, "create index concurrently later on orders (state)");
        Diagnosis diagnosis = Clinic.look(SERVER, database);
        Clinic.assertFirst(diagnosis, "blocker", "End its transaction, pg_terminate_backend(" + holder.pid() + ")");
        holder.rollback();
        steps.get(0).get();
    }

    @Test
    void oneTransactionFillsTheLockTable() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select count(pg_advisory_xact_lock(g)) from generate_series(1, 20000) g");
        Diagnosis diagnosis = Clinic.look(SERVER, database);
        Clinic.assertFirst(diagnosis, "lock-table", "lock table: Lock fewer things in one transaction");
        holder.rollback();
    }

    /** Other instances try to get the lock, and continue without the lock. */
    @Test
    void aLeaderThatKeepsItsLockForHoursIsHealthy() throws Exception {
        Session leader = database.session("leader");
        leader.connection().setAutoCommit(true);
        leader.execute("select pg_advisory_lock(1)");
        try (Load load = clients("select pg_try_advisory_lock(1); select pg_sleep(0.05)"
                + " & update orders set state = 'x' where id = :client; select pg_sleep(0.01)")) {
            Clinic.assertHealthy(load.examine(later(SERVER, database)));
        }
        leader.execute("select pg_advisory_unlock(1)");
    }

    @Test
    void anImportOfMinutesBesideReadersIsHealthy() throws Exception {
        Session importer = database.session("importer");
        importer.execute("insert into event (line) select 'x' from generate_series(1, 20000)");
        Step<Boolean> step =
                importer.startExecute("insert into event (line) select slow(g)::text from generate_series(1, 4000) g");
        String other = " & select count(*) from event; select pg_sleep(0.01)"
                + " & update orders set state = 'x' where id = :client; select pg_sleep(0.01)";
        // Two of the clients notify, so at most one waits for the other's commit.
        try (Load load = clients(
                "insert into event (line) values ('y'); notify news; select pg_sleep(0.01)" + other.repeat(5))) {
            Clinic.assertHealthy(load.examine(later(SERVER, database)));
        }
        importer.cancel();
        assertThat(step.failure()).isInstanceOf(SQLException.class);
        importer.rollback();
    }

    private Diagnosis load(String work) throws Exception {
        try (Load load = clients(work)) {
            return load.examine(address(SERVER));
        }
    }

    private Load clients(String work) {
        return Clinic.clients(
                database,
                20,
                work.replace("{work}", "select pg_sleep(0.005)")
                        .replaceAll("\\{update (\\d+)}", "update orders set state = 'paid' where id = $1 + :client")
                        .split(" & "));
    }
}
