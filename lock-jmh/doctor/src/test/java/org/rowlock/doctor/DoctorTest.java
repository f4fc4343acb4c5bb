package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.doctor.Doctors.advice;
import static org.rowlock.doctor.Doctors.examine;
import static org.rowlock.doctor.Doctors.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.RowWait.HolderState;
import org.rowlock.doctor.Verdict.Kind;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** What the doctor finds on a server where sessions really wait. */
class DoctorTest {
    private static final String LOCK = "select * from account where id = 42 for update";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id int primary key, balance int not null default 0)",
            "insert into account select generate_series(1, 100)",
            "create table entry (account int not null references account, line text, primary key (account, line))",
            "create table part (id int primary key, note text) partition by range (id)",
            "create table part_1 partition of part for values from (0) to (100)",
            "insert into part values (1)");

    @Test
    void aQueueAtARowIsNamedByTableRowAndStatement() throws Exception {
        Session holder = database.session("holder");
        holder.execute(LOCK);
        List<Step<Boolean>> waiters = queue(12, LOCK, holder);

        Diagnosis report = examine(TestPostgres.shared());

        assertThat(report.diagnosis().verdict().kind()).isEqualTo(Kind.HURT);
        assertThat(report.seen().samples().sessions("Lock:tuple")).isEqualTo(11);
        assertThat(report.seen().samples().sessions("Lock:transactionid")).isEqualTo(1);
        TableWaits table = table(report, database.schema() + ".account");
        assertThat(table.contenders()).isEqualTo(13);
        assertThat(table.mostContenders()).isEqualTo(13);
        assertThat(table.causes().share(Cause.LOCKING)).isEqualTo(1);
        assertThat(table.modes().share(RowLockMode.FOR_UPDATE)).isEqualTo(1);
        assertThat(table.hotRows().ranking()).containsExactly("id=42");
        assertThat(table.statements().ranking()).containsExactly("select * from account where id = ? for update");
        assertThat(table.holders().share(HolderState.IDLE_IN_TRANSACTION)).isEqualTo(1);
        assertThat(report.text())
                .contains(database.schema() + ".account")
                .contains("id=42")
                .contains("select * from account where id = ? for update")
                .contains("idle in transaction 100 %");
        assertThat(advice(report, database.schema() + ".account"))
                .first()
                .asString()
                .contains("less time");

        release(holder, waiters);
    }

    @Test
    void aConvoyIsFoundWhileItMoves() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(12);
        try {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                clients.add(threads.submit(() -> {
                    lockAndUpdate(ended);
                    return null;
                }));
            }
            Diagnosis report = examine(TestPostgres.shared());
            ended.set(true);
            for (Future<?> client : clients) {
                client.get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(report.diagnosis().verdict().kind()).as(report.text()).isEqualTo(Kind.HURT);
            assertThat(advice(report, database.schema() + ".account"))
                    .as(report.text())
                    .isNotEmpty();
        } finally {
            ended.set(true);
            threads.shutdown();
        }
    }

    private void lockAndUpdate(AtomicBoolean ended) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!ended.get()) {
                statement.execute(LOCK);
                statement.execute("update account set balance = balance + 1 where id = 42");
                connection.commit();
            }
        }
    }

    @Test
    void writersThatDoNotLockAreListedAndStandAgainstAdvisory() throws Exception {
        database.execute(
                RowLockGuard.schemaSql(),
                RowLockGuard.auditSql("account", 1, List.of()),
                RowLockGuard.auditSql("part", 0.5, List.of()),
                "update account set balance = 7 where id = 42",
                "delete from account where id = 99");
        String account = database.schema() + ".account";

        Diagnosis report = examine(TestPostgres.shared());

        assertThat(report.text().replaceAll("\\s+", " "))
                .contains("! 2 writers of " + account + " without its lock since")
                .contains(" 0 writers of " + database.schema() + ".part without its lock since")
                .contains("as far as 50 % of the statements tell")
                .contains("postgres, " + database.schema())
                .contains("update account set balance = ? where id = ?");
        assertThat(advice(report, account))
                .containsExactly("Not ADVISORY without a guard: let its other writers lock first.");
        assertThat(advice(report, database.schema() + ".part")).isEmpty();
    }

    @Test
    void whereNobodyWaitsNothingShouldChange() {
        Diagnosis report = examine(TestPostgres.shared());
        assertThat(report.diagnosis().verdict().kind()).isEqualTo(Kind.NONE);
        assertThat(report.text())
                .contains("do not hurt")
                .contains("nothing should change")
                .contains("all but idle");
        assertThat(advice(report, "row locks")).containsExactly("Look again when the server is busy.");
    }

    @Test
    void foreignKeyChecksAreToldFromLocks() throws Exception {
        Session holder = database.session("holder");
        holder.execute(LOCK);
        List<Step<Boolean>> waiters = queue(3, "insert into entry values (42, gen_random_uuid()::text)", holder);

        Diagnosis report = examine(TestPostgres.shared());

        TableWaits table = table(report, database.schema() + ".account");
        assertThat(table.causes().share(Cause.FOREIGN_KEY)).isEqualTo(1);
        assertThat(advice(report, database.schema() + ".account"))
                .anyMatch(action -> action.contains("FOR NO KEY UPDATE"))
                .noneMatch(action -> action.contains("BOTH"));

        release(holder, waiters);
    }

    @Test
    void plainUpdatesWaitForRowsToo() throws Exception {
        Session holder = database.session("holder");
        holder.execute("update part set note = 'a' where id = 1");
        List<Step<Boolean>> waiters = queue(2, "update part set note = 'b' where id = 1", holder);

        Diagnosis report = examine(TestPostgres.shared());

        // The partition has its root's name, as its keys have.
        TableWaits table = table(report, database.schema() + ".part");
        assertThat(table.causes().share(Cause.WRITE)).isEqualTo(1);
        assertThat(table.modes().share(RowLockMode.FOR_NO_KEY_UPDATE)).isEqualTo(1);
        assertThat(table.hotRows().ranking()).containsExactly("id=1");

        release(holder, waiters);
    }

    @Test
    void insertsOfOneUniqueKeyAreNoRowLocks() throws Exception {
        String insert = "insert into entry values (7, 'once') on conflict do nothing";
        Session holder = database.session("holder");
        holder.execute(insert);
        List<Step<Boolean>> waiters = queue(2, insert, holder);

        Diagnosis report = examine(TestPostgres.shared());

        assertThat(report.diagnosis().verdict().kind()).isEqualTo(Kind.NONE);
        assertThat(report.seen().samples().uniqueKeyWaits()).isEqualTo(2);
        assertThat(report.text()).contains("sessions insert a unique key");

        release(holder, waiters);
    }

    @Test
    void whoHoldsTheVacuumHorizonIsNamed() throws Exception {
        Session reader = database.session("reader");
        reader.execute("set transaction isolation level repeatable read");
        reader.execute("select count(*) from account where balance = 4711");

        Diagnosis report = examine(TestPostgres.shared());

        assertThat(report.seen().horizon()).anySatisfy(holder -> {
            assertThat(holder.kind()).isEqualTo(HorizonHolder.Kind.SESSION);
            assertThat(holder.name()).isEqualTo(String.valueOf(reader.pid()));
            assertThat(holder.application()).isEqualTo(database.schema());
            assertThat(holder.state()).isEqualTo("idle in transaction");
            assertThat(holder.statement()).isEqualTo("select count(*) from account where balance = ?");
        });
        reader.rollback();
    }

    @Test
    void anUnreachableServerIsRefusedWithAdvice() {
        ServerAddress nowhere = new ServerAddress("jdbc:postgresql://localhost:1/postgres", "nobody", "secret");
        assertThatThrownBy(() -> Doctor.examine(nowhere, Doctors.A_MOMENT))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("localhost:1/postgres")
                .hasMessageNotContaining("secret");
    }

    /** Sessions that wait in one line, each seen to wait before the next comes. */
    private List<Step<Boolean>> queue(int length, String sql, Session holder) throws SQLException {
        List<Step<Boolean>> waiters = new ArrayList<>();
        List<Session> before = new ArrayList<>(List.of(holder));
        for (int i = 0; i < length; i++) {
            Session session = database.session("waiter" + i);
            session.connection().setAutoCommit(true);
            waiters.add(session.startExecute(sql).awaitBlockedBy(before.toArray(Session[]::new)));
            before.add(session);
        }
        return waiters;
    }

    private static void release(Session holder, List<Step<Boolean>> waiters) throws Exception {
        holder.rollback();
        for (Step<Boolean> waiter : waiters) {
            waiter.get();
        }
    }
}
