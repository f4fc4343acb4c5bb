package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.doctor.Clinic.WIDE;
import static org.rowlock.doctor.Clinic.behind;
import static org.rowlock.doctor.Clinic.examine;
import static org.rowlock.doctor.Clinic.queue;
import static org.rowlock.doctor.Clinic.release;
import static org.rowlock.doctor.Clinic.table;

import java.io.StringReader;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Table.Of;
import org.rowlock.doctor.Wait.Doing;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;

/** Checks the observations of the doctor on a server where sessions really wait. */
class DoctorTest {
    private static final String LOCK = "select * from account where id = 42 for update";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            100,
            "create table entry (account int not null references account, line text, primary key (account, line))",
            "create table part (id int primary key, note text) partition by range (id)",
            "create table part_1 partition of part for values from (0) to (100)",
            "insert into part values (1)",
            "create table person (name text primary key)",
            "insert into person values ('Robinson')",
            "create table branch (id int primary key, balance int)",
            "create table teller (id int primary key, balance int)",
            "insert into branch values (1, 0)",
            "insert into teller values (1, 0)");

    @Test
    void aQueueAtARowIsSeenAsItIs() throws Exception {
        Diagnosis diagnosis = behind(TestPostgres.shared(), database, LOCK, 12, LOCK);

        assertThat(diagnosis.kind()).isEqualTo(Kind.HURT);
        assertThat(diagnosis.seen().busy()).containsEntry("Lock:tuple", 11.0).containsEntry("Lock:transactionid", 1.0);
        Table table = table(diagnosis, name("account"));
        assertThat(table.waiting()).isEqualTo(12);
        assertThat(table.contenders()).isEqualTo(13);
        assertThat(table.mostContenders()).isEqualTo(13);
        assertThat(table.shares(Of.CAUSE)).containsExactlyEntriesOf(java.util.Map.of(StatementKind.LOCKING, 1.0));
        assertThat(table.shares(Of.MODE)).containsExactlyEntriesOf(java.util.Map.of(RowLockMode.FOR_UPDATE, 1.0));
        assertThat(table.shares(Of.HOLDER)).containsExactlyEntriesOf(java.util.Map.of(Doing.IDLE_IN_TRANSACTION, 1.0));
        assertThat(table.shares(Of.STATEMENT)).containsOnlyKeys("select * from account where id = ? for update");
    }

    @Test
    void valuesAreNeverShown() throws Exception {
        String lock = "select * from person where name in ('Robinson', $$Robinson$$, $x$Robinson's$x$, e'\\'Robinson')"
                + " /* /* */ Robinson */ for update";
        Diagnosis diagnosis = behind(TestPostgres.shared(), database, lock, 1, lock);

        assertThat(diagnosis.text(WIDE, true) + diagnosis.json())
                .contains("from person where name in (...) for update")
                .doesNotContain("Robinson");
    }

    /**
     * As in TPC-B, a session waits for a teller. The teller's holder also holds a branch, for which another session
     * waits.
     */
    @Test
    void aWaitLandsOnTheTableOfItsStatement() throws Exception {
        String teller = "update teller set balance = balance + 1 where id = 1";
        String branch = "update branch set balance = balance + 1 where id = 1";
        Session second = database.session("second");
        Step<Boolean> atTeller = Clinic.followAnUpdatedRow(database, teller, second, branch, teller);
        Session fourth = database.session("fourth");
        Step<Boolean> atBranch = fourth.startExecute(branch).awaitBlockedBy(second);

        Diagnosis diagnosis = examine(TestPostgres.shared());

        assertThat(table(diagnosis, name("teller")).waiting()).isEqualTo(1);
        assertThat(table(diagnosis, name("branch")).waiting()).isEqualTo(1);
        second.rollback();
        atTeller.get();
        atBranch.get();
    }

    @Test
    void aTableWhoseHoldersWaitElsewhereComesSecond() throws Exception {
        Session last = database.session("last");
        last.execute("update branch set balance = 1 where id = 1");
        Session between = database.session("between");
        between.execute("update teller set balance = 1 where id = 1");
        Step<Boolean> atBranch = between.startExecute("update branch set balance = 1 where id = 1")
                .awaitBlockedBy(last);
        List<Step<Boolean>> atTeller = queue(database, 3, "update teller set balance = 1 where id = 1", between);

        Diagnosis diagnosis = examine(TestPostgres.shared());

        assertThat(table(diagnosis, name("teller")).waiting()).isEqualTo(3);
        assertThat(diagnosis.advice()).first().extracting(Advice::subject).isEqualTo(name("branch"));
        assertThat(diagnosis.advice()).last().satisfies(advice -> {
            assertThat(advice.subject()).isEqualTo(name("teller"));
            assertThat(advice.rule()).isEqualTo("next-lock");
            assertThat(advice.action()).contains(name("branch"));
        });
        last.rollback();
        atBranch.get();
        release(between, atTeller);
    }

    @Test
    void theTreeOfWaitsBeginsWithTheHolder() throws Exception {
        Session holder = database.session("holder");
        holder.execute(LOCK);
        List<Step<Boolean>> waiters = queue(database, 3, LOCK, holder);

        Watch watch = Watch.look(Clinic.address(TestPostgres.shared()));

        assertThat(watch.sessions()).extracting(Watch.Node::depth).containsExactly(0, 1, 2, 2);
        assertThat(watch.sessions().get(0).name()).isEqualTo(Integer.toString(holder.pid()));
        assertThat(watch.text(WIDE).lines())
                .satisfiesExactly(
                        first -> assertThat(first).endsWith("  3 sessions wait for a lock."),
                        end -> assertThat(end)
                                .startsWith(holder.pid() + " (" + database.schema() + "): idle in transaction for ")
                                .endsWith(": select * from account where id = ? for update"),
                        next -> assertThat(next).startsWith("  ").contains("for transactionid"),
                        last -> assertThat(last).startsWith("    ").contains("for tuple " + name("account")),
                        last -> assertThat(last).startsWith("    ").contains("for tuple " + name("account")));
        release(holder, waiters);
    }

    @Test
    void writersThatDoNotLockStandAgainstAdvisory() throws Exception {
        database.execute(
                RowLockGuard.schemaSql(),
                "select rowlock.install_audit('account')",
                "select rowlock.install_audit('part', 0.5)",
                "update account set balance = 7 where id = 42",
                "delete from account where id = 99");

        Diagnosis diagnosis = examine(TestPostgres.shared());

        assertThat(diagnosis.advice())
                .filteredOn(advice -> advice.subject().startsWith(database.schema()))
                .singleElement()
                .satisfies(advice -> {
                    assertThat(advice.rule()).isEqualTo("stray-writers");
                    assertThat(advice.subject()).isEqualTo(name("account"));
                    assertThat(advice.figure()).startsWith("2 writers do not lock through Rowlock");
                });
        assertThat(diagnosis.text(WIDE, true))
                .contains("postgres (" + database.schema() + "): update account set balance = ? where id = ?");
    }

    @Test
    void plainUpdatesWaitForRowsOfAPartitionedTable() throws Exception {
        Diagnosis diagnosis = behind(
                TestPostgres.shared(),
                database,
                "update part set note = 'a' where id = 1",
                2,
                "update part set note = 'b' where id = 1");
        Table table = table(diagnosis, name("part"));
        assertThat(table.shares(Of.CAUSE)).containsOnlyKeys(StatementKind.WRITE);
        assertThat(table.shares(Of.MODE)).containsOnlyKeys(RowLockMode.FOR_NO_KEY_UPDATE);
    }

    @Test
    void insertsOfOneUniqueKeyAreNoRowLocks() throws Exception {
        String insert = "insert into entry values (7, 'once') on conflict do nothing";
        Session holder = database.session("holder");
        holder.execute(insert);
        List<Step<Boolean>> waiters = queue(database, 2, insert, holder);
        Session copying = database.session("copying");
        Step<Long> copy = copying.start(connection -> connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn("copy entry from stdin", new StringReader("7\tonce\n")))
                .awaitBlockedBy(holder);

        Diagnosis diagnosis = examine(TestPostgres.shared());

        assertThat(diagnosis.seen().busy()).containsEntry("Lock:transactionid", 3.0);
        assertThat(diagnosis.seen().rowWaits()).isZero();
        assertThat(diagnosis.advice()).singleElement().satisfies(advice -> {
            assertThat(advice.rule()).isEqualTo("other");
            assertThat(advice.subject()).isEqualTo("Lock:transactionid");
            assertThat(advice.figure()).startsWith("3").contains("(100 %)");
        });
        copying.cancel();
        assertThatThrownBy(copy::get).isInstanceOf(SQLException.class);
        release(holder, waiters);
    }

    @Test
    void anUnreachableServerIsRefusedWithAdvice() {
        ServerAddress nowhere = new ServerAddress("jdbc:postgresql://localhost:1/postgres", "nobody", "secret");
        assertThatThrownBy(() -> Doctor.examine(nowhere, Duration.ofMillis(1)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("localhost:1/postgres")
                .hasMessageNotContaining("secret");
    }

    private String name(String table) {
        return database.schema() + '.' + table;
    }
}
