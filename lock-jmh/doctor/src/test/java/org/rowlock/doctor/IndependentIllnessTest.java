package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Clinic.address;
import static org.rowlock.doctor.Clinic.later;
import static org.rowlock.doctor.Clinic.settle;
import static org.rowlock.doctor.Clinic.simple;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Illnesses written down without a look at the rules, each with what a DBA would advise first. */
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

    /** Between two messages. */
    private static final String APART = " | ";

    private static final String WORK = "select pg_sleep(0.005)";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            SERVER,
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
            "analyze");

    @BeforeEach
    void installStatements() throws SQLException {
        database.execute("create extension if not exists pg_stat_statements schema public");
    }

    /** All orders are of one customer, whose row the join locks too. */
    @Test
    void aJoinLocksTheRowThatIsOnlyRead() throws Exception {
        assertFirst(
                load("begin; select * from orders o join customer c on c.id = o.customer where o.id = :client"
                        + " for update; " + WORK + "; update orders set state = 'paid' where id = :client; commit"),
                "lock-less",
                "customer: Lock only the rows to be changed, FOR UPDATE OF");
    }

    @Test
    void aSharedLockIsUpgraded() throws Exception {
        assertFirst(
                load("begin; select * from customer where id = 1 for share; " + WORK
                        + "; update customer set name = 'x' where id = 1; commit"),
                "deadlocks",
                "customer: Lock the row FOR NO KEY UPDATE from the start");
    }

    @Test
    void workersTakeTheFirstJobWithoutSkipLocked() throws Exception {
        assertFirst(
                load("begin; with j as (select id from job where state = 'ready' order by id limit 1 for update)"
                        + " update job set state = 'done' from j where job.id = j.id; " + WORK + "; commit"),
                "lock-less",
                "job: Add SKIP LOCKED");
    }

    @Test
    void workersUpdateTheFirstJobWithoutALock() throws Exception {
        assertFirst(
                load("begin; update job set state = 'done' where id ="
                        + " (select id from job where state = 'ready' order by id limit 1); " + WORK + "; commit"),
                "lock-less",
                "job: Add SKIP LOCKED");
    }

    @Test
    void workersFetchTheNextJobWithoutSkipLocked() throws Exception {
        assertFirst(
                load("begin; select id from job where state = 'ready' order by id fetch next 1 rows only for update; "
                        + WORK + "; commit"),
                "lock-less",
                "job: Add SKIP LOCKED");
    }

    /** Each shares the row of the customer by its foreign key, and then wants it alone. */
    @Test
    void aChildIsInsertedBeforeItsParentIsLocked() throws Exception {
        assertFirst(
                load("begin; insert into orders select 5000 + (random() * 1e9)::int, 1, 'new'; " + WORK + APART
                        + "select * from customer where id = 1 for update; commit"),
                "deadlocks",
                "customer: Lock the row FOR NO KEY UPDATE from the start, before a row is inserted that refers to it");
    }

    @Test
    void aJoinLocksTheRowsThatItDeletes() throws Exception {
        database.execute("insert into request values ('k')");
        Diagnosis diagnosis = load("begin; select * from orders o cross join request r where o.id = :client"
                + " and r.key = 'k' for update; " + WORK
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
        String update = "update orders set state = 'x' where id = :client and slow(id) = 0";
        String report = "select count(*) from orders; select pg_sleep(0.02)";
        assertHealthy(load(update, update, update, report));
    }

    /** It waits for the transaction of the other, and for no row. */
    @Test
    void aSlotIsCreatedBesideAForgottenTransaction() throws Exception {
        Session holder = database.session("holder");
        holder.execute("update orders set state = 'x' where id = 1");
        Step<Boolean> step = waiting("select pg_create_logical_replication_slot('later', 'pgoutput')", 1);
        Diagnosis diagnosis = look();
        holder.rollback();
        step.get();
        database.execute("select pg_drop_replication_slot('later')");
        assertFirst(diagnosis, "blocker", "End its transaction, pg_terminate_backend(" + holder.pid() + ")");
        assertThat(diagnosis.verdict()).contains("0 wait for a row");
    }

    /** NOTIFY takes one lock of the whole cluster, which its transaction keeps until the commit is safe. */
    @Test
    void everyCommitNotifies() throws Exception {
        assertFirst(
                load("set synchronous_commit = on; set commit_delay = 5000; begin;"
                        + " insert into event (line) values ('x'); notify news, 'x'; commit"),
                "other",
                "Lock:object: Send fewer NOTIFYs");
    }

    @Test
    void theApplicationLocksTheTable() throws Exception {
        assertFirst(
                load("begin; lock table customer in share row exclusive mode; " + WORK
                        + "; update customer set name = 'x' where id = :client; commit"),
                "other",
                "Lock:relation: Lock the rows, or a name");
    }

    @Test
    void aBatchLocksEveryRowBesideSmallUpdates() throws Exception {
        assertFirst(
                load(
                        "update orders set state = 'old' where id <= 400 and pg_sleep(0.001) is not null",
                        "update orders set state = 'paid' where id = 100 + :client",
                        "update orders set state = 'paid' where id = 200 + :client",
                        "update orders set state = 'paid' where id = 300 + :client"),
                "shorter-statements",
                "orders: Write in pieces");
    }

    @Test
    void requestsOfOneKeyWaitForTheFirstInsert() throws Exception {
        assertFirst(
                load("begin; insert into request (key) values ('k') on conflict do nothing; select pg_sleep(0.05); "
                        + "delete from request where key = 'k'; commit"),
                "other",
                "Lock:transactionid: Commit an inserted key before other work");
    }

    @Test
    void anIndexIsBuiltBesideWriters() throws Exception {
        assertBlocker(
                "create index slow on orders (slow(id))",
                "pg_cancel_backend(<pid>), and build the index CONCURRENTLY",
                "update orders set state = 'paid' where id = 1",
                "update orders set state = 'paid' where id = 2");
    }

    @Test
    void aViewIsRefreshedBesideReaders() throws Exception {
        database.execute("create materialized view report as select slow(id) from orders with no data");
        assertBlocker(
                "refresh materialized view report",
                "pg_cancel_backend(<pid>), and REFRESH it CONCURRENTLY",
                "select count(*) from report",
                "select count(*) from report");
    }

    /** The report is innocent. */
    @Test
    void aChangeOfTheTableWaitsForAReportAndAllForTheChange() throws Exception {
        assertBlocker(
                "select count(slow(id)) from orders",
                "Cancel the session that waits behind it and blocks all others",
                "alter table orders add column note text",
                "select * from orders where id = 2",
                "update orders set state = 'paid' where id = 3");
    }

    @Test
    void anIndexConcurrentlyWaitsForAForgottenTransaction() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from orders where id = 1");
        Step<Boolean> step = waiting("create index concurrently later on orders (state)", 1);
        assertFirst(look(), "blocker", "End its transaction, pg_terminate_backend(" + holder.pid() + ")");
        holder.rollback();
        step.get();
    }

    @Test
    void oneTransactionFillsTheLockTable() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select count(pg_advisory_xact_lock(g)) from generate_series(1, 20000) g");
        assertFirst(look(), "lock-table", "lock table: Lock fewer things in one transaction");
        holder.rollback();
    }

    /** Others try, and go on without it. */
    @Test
    void aLeaderThatKeepsItsLockForHoursIsHealthy() throws Exception {
        Session leader = database.session("leader");
        leader.connection().setAutoCommit(true);
        leader.execute("select pg_advisory_lock(1)");
        try (Load load = clients(List.of(
                "select pg_try_advisory_lock(1); select pg_sleep(0.05)",
                "update orders set state = 'x' where id = :client; select pg_sleep(0.01)"))) {
            assertHealthy(examine(later(SERVER, database), load));
        }
        leader.execute("select pg_advisory_unlock(1)");
    }

    @Test
    void anImportOfMinutesBesideReadersIsHealthy() throws Exception {
        Session importer = database.session("importer");
        importer.execute("insert into event (line) select 'x' from generate_series(1, 20000)");
        Step<Boolean> step =
                importer.startExecute("insert into event (line) select slow(g)::text from generate_series(1, 4000) g");
        try (Load load = clients(List.of(
                "select count(*) from event; select pg_sleep(0.01)",
                "insert into event (line) values ('y'); notify news; select pg_sleep(0.01)",
                "update orders set state = 'x' where id = :client; select pg_sleep(0.01)"))) {
            assertHealthy(examine(later(SERVER, database), load));
        }
        importer.cancel();
        assertThat(step.failure()).isInstanceOf(SQLException.class);
        importer.rollback();
    }

    private Diagnosis load(String... work) throws Exception {
        try (Load load = clients(List.of(work))) {
            return examine(address(SERVER), load);
        }
    }

    /** What runs for minutes is found as it runs, and canceled then. */
    private void assertBlocker(String held, String contains, String... waiting) throws Exception {
        Session holder = database.session("holder");
        Step<Boolean> running = holder.startExecute(held);
        await("it runs", "pg_stat_activity where pid = " + holder.pid() + " and wait_event = 'PgSleep'", 1);
        List<Step<Boolean>> steps = new ArrayList<>();
        for (String sql : waiting) {
            steps.add(waiting(sql, steps.size() + 1));
        }
        Diagnosis diagnosis = look();
        holder.cancel();
        assertThat(running.failure()).isInstanceOf(SQLException.class);
        holder.rollback();
        for (Step<Boolean> step : steps) {
            ended(step);
        }
        assertFirst(diagnosis, "blocker", contains.replace("<pid>", Integer.toString(holder.pid())));
    }

    private static void ended(Step<?> step) throws Exception {
        try {
            step.get();
        } catch (SQLException e) {
            // The view that it reads was never filled.
        }
    }

    private Step<Boolean> waiting(String sql, int waiters) throws SQLException {
        Session session = database.session("waiter" + waiters);
        session.connection().setAutoCommit(true);
        Step<Boolean> step = session.startExecute(sql);
        await("it waits", "pg_locks where not granted", waiters);
        return step;
    }

    private void await(String what, String from, int sessions) {
        TestDatabase.await(what)
                .until(() -> database.query("select count(distinct pid) from " + from)
                        .equals(Integer.toString(sessions)));
    }

    private Diagnosis look() throws SQLException {
        settle(SERVER);
        return Doctor.examine(later(SERVER, database), samples -> samples.count() >= 2);
    }

    private Load clients(List<String> work) {
        return Load.start(simple(database.dataSource()), 20, (client, connection) -> {
            try (Statement statement = connection.createStatement()) {
                String all = work.get(client % work.size()).replace(":client", Integer.toString(client + 1));
                for (String message : all.split(Pattern.quote(APART))) {
                    statement.execute(message);
                }
            } catch (SQLException e) {
                rollback(connection);
            }
        });
    }

    private static void rollback(Connection connection) throws SQLException {
        TestDatabase.execute(connection, "rollback");
    }

    private static Diagnosis examine(ServerAddress address, Load load) {
        return Doctor.examine(address, samples -> samples.count() >= 15 && load.rounds() >= 10);
    }

    private static void assertFirst(Diagnosis diagnosis, String rule, String contains) {
        String all = diagnosis.text(Clinic.WIDE, true);
        assertThat(diagnosis.advice()).as(all).isNotEmpty();
        Advice first = diagnosis.advice().get(0);
        assertThat(first.rule()).as(all).isEqualTo(rule);
        assertThat(first.subject() + ": " + first.action()).as(all).contains(contains);
    }

    private static void assertHealthy(Diagnosis diagnosis) {
        assertThat(diagnosis.advice()).as(diagnosis.text(Clinic.WIDE, true)).isEmpty();
    }
}
