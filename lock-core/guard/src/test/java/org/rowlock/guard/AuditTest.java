package org.rowlock.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.ClientProgram;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/** The audit records the writers that do not lock, and makes no writer fail or wait. */
class AuditTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id bigint primary key, balance bigint not null)",
            "insert into account select i, 100 from generate_series(1, 100) as i");

    private Session session;

    @BeforeEach
    void audit() throws SQLException {
        database.execute(RowLockGuard.schemaSql(), Install.audit("account", 1));
        session = database.session("session");
    }

    private static void write(Session writer, String sql) throws Exception {
        writer.execute(sql);
        writer.commit();
    }

    private List<StrayWriter> writers() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return StrayWriter.all(connection).stream()
                    // Other tests may share the schema rowlock, so only the writers of this test are returned.
                    .filter(writer -> writer.application().startsWith(database.schema()))
                    .toList();
        }
    }

    @Test
    void aStatementIsNotedWithAllThatFindsIt() throws Exception {
        Instant before = Instant.now().minus(1, ChronoUnit.HOURS);
        write(session, "update account set balance = 0 where id = 7");

        assertThat(writers()).singleElement().satisfies(writer -> {
            assertThat(writer.table()).isEqualTo("account");
            assertThat(writer.operation()).isEqualTo("UPDATE");
            assertThat(writer.role()).isEqualTo(database.query("select session_user"));
            assertThat(writer.application()).isEqualTo(database.schema());
            assertThat(writer.query()).isEqualTo("update account set balance = 0 where id = 7");
            assertThat(writer.context()).isEmpty();
            assertThat(writer.firstSeen()).isAfter(before).isEqualTo(writer.lastSeen());
        });
    }

    @EveryStrategy.WithKey
    void whoLocksIsNotNoted(RowLocks locks) throws Exception {
        lock(session, locks, forUpdate(LockKey.row("account", 7)));
        session.execute("update account set balance = 0 where id = 7");
        session.execute("delete from account where id = 7");
        lock(session, locks, forUpdate(LockKey.rows("account", List.of(8, 9, 10))));
        session.execute("update account set balance = 0 where id between 8 and 10");
        write(session, "update account set balance = 0 where id = -1");

        assertThat(writers()).isEmpty();
    }

    @Test
    void oneRowThatIsNotLockedAmongManyIsNoted() throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        lock(session, locks, forUpdate(LockKey.rows("account", List.of(8, 9, 10))));
        write(session, "update account set balance = 0 where id between 8 and 11");

        assertThat(writers()).hasSize(1);
    }

    /** A ROW locker acquires no key, so the audit cannot distinguish the locker from a writer that does not lock. */
    @Test
    void atRowEverybodyIsNoted() throws Exception {
        RowLocks locks = locks(LockStrategy.ROW);
        lock(session, locks, forUpdate(LockKey.row("account", 7)));
        write(session, "update account set balance = 0 where id = 7");

        assertThat(writers()).hasSize(1);
    }

    @Test
    void aSharedLockIsNotEnough() throws Exception {
        lock(session, locks(LockStrategy.BOTH), forShare(LockKey.row("account", 7)));
        write(session, "update account set balance = 0 where id = 7");

        assertThat(writers()).hasSize(1);
    }

    @Test
    void aWriterIsNotedOnceWhateverItsValues(Session other) throws Exception {
        for (int i = 1; i <= 20; i++) {
            write(session, "update account set balance = " + i + " where id = " + i);
        }
        write(other, "update account set balance = 7 where id = 99");
        write(session, "delete from account where id = 5");

        assertThat(writers()).extracting(StrayWriter::operation).containsExactlyInAnyOrder("UPDATE", "DELETE");
        assertThat(database.query("select count(*) from rowlock.note where application = '" + database.schema() + "'"))
                .isEqualTo("2");
    }

    @Test
    void whatWasRolledBackIsNotedTheNextTime() throws Exception {
        session.execute("update account set balance = 1 where id = 1");
        session.rollback();
        assertThat(writers()).isEmpty();
        write(session, "update account set balance = 1 where id = 1");

        assertThat(writers()).hasSize(1);
    }

    @Test
    void aBatchOverJdbcIsNoted() throws Exception {
        session.run(c -> {
            try (PreparedStatement update =
                    c.prepareStatement("update account set balance = balance + ? where id = ?")) {
                for (int id = 1; id <= 5; id++) {
                    update.setInt(1, 5);
                    update.setInt(2, id);
                    update.addBatch();
                }
                return update.executeBatch();
            }
        });
        session.commit();

        assertThat(writers())
                .singleElement()
                .satisfies(writer -> assertThat(writer.query())
                        .isEqualTo("update account set balance = balance + $1 where id = $2"));
    }

    @Test
    void aTriggerOfAnotherTableIsNotedWithItsFunction() throws Exception {
        database.execute(
                "create table booking(id int, account int)",
                "create function book() returns trigger language plpgsql as $$ begin"
                        + " update account set balance = balance - 1 where id = new.account; return new; end $$",
                "create trigger book before insert on booking for each row execute function book()");
        write(session, "insert into booking values (1, 7)");

        assertThat(writers()).singleElement().satisfies(writer -> {
            assertThat(writer.query()).isEqualTo("insert into booking values (1, 7)");
            assertThat(writer.context()).contains("update account set balance", "function book()");
        });
    }

    @Test
    void aCascadeIsNotedAsSuch() throws Exception {
        database.execute(
                "create table owner(id int primary key)",
                "insert into owner values (1)",
                "alter table account add owner int references owner on delete cascade",
                "alter table account disable trigger rowlock_audit_update",
                "update account set owner = 1 where id = 7",
                "alter table account enable trigger rowlock_audit_update");
        write(session, "delete from owner");

        assertThat(writers()).singleElement().satisfies(writer -> {
            assertThat(writer.operation()).isEqualTo("DELETE");
            assertThat(writer.query()).isEqualTo("delete from owner");
            assertThat(writer.context()).startsWith("the action of a foreign key");
        });
    }

    @Test
    void psqlIsNoted() throws Exception {
        PGSimpleDataSource psql = database.dataSource();
        psql.setApplicationName(database.schema() + " psql");
        String sql = "update " + database.schema() + ".account set balance = 3 where id = 3";
        ClientProgram.run(psql, "psql", "-v", "ON_ERROR_STOP=1", "-c", sql);

        assertThat(writers()).singleElement().satisfies(writer -> {
            assertThat(writer.application()).isEqualTo(database.schema() + " psql");
            assertThat(writer.query()).contains("set balance = 3 where id = 3");
        });
    }

    @Test
    void onConflictAndMergeAreNoted() throws Exception {
        session.execute("insert into account values (7, 0) on conflict (id) do update set balance = 0");
        if (database.isAtLeast(15)) {
            session.execute("merge into account using (values (7)) as s(k) on id = k when matched then delete");
        }
        write(session, "insert into account values (7777, 0)");

        assertThat(writers())
                .extracting(StrayWriter::operation)
                .contains("UPDATE")
                .doesNotContain("INSERT");
        assertThat(writers().size()).isEqualTo(database.isAtLeast(15) ? 2 : 1);
    }

    @Test
    void partitionsAreWatchedByEitherName() throws Exception {
        database.execute(
                "create table measure(id int, day date, v int, primary key (id, day)) partition by range (day)",
                "create table measure_06 partition of measure for values from ('2026-06-01') to ('2026-07-01')",
                "insert into measure values (1, '2026-06-01')",
                Install.audit("measure", 1));
        session.execute("update measure set v = 1");
        session.execute("update measure_06 set v = 1");
        RowLocks locks = locks(LockStrategy.BOTH);
        session.commit();
        lock(session, locks, forUpdate(LockKey.row("measure", 1, LocalDate.of(2026, 6, 1))));
        write(session, "delete from measure_06");

        assertThat(writers()).extracting(StrayWriter::table).containsExactly("measure", "measure");
        database.execute(Install.removeAudit("measure"));
        assertThat(
                        database.query(
                                "select count(*) from pg_trigger where tgrelid in ('measure'::regclass, 'measure_06'::regclass)"))
                .isEqualTo("0");
    }

    @Test
    void aSampledAuditSeesAWriterThatComesOften() throws Exception {
        database.execute(Install.audit("account", 0.2));
        for (int i = 0; i < 1_000 && writers().isEmpty(); i++) {
            write(session, "update account set balance = " + i + " where id = 1");
        }

        assertThat(writers()).hasSize(1);
        assertThat(database.query("select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'account'::regclass"
                        + " and tgname = 'rowlock_audit_update'"))
                .contains("random() < ");
        assertThat(audited("sample")).isEqualTo("0.2");
    }

    private String audited(String column) throws SQLException {
        return database.query("select " + column + " from rowlock.audits where relation = 'account'::regclass");
    }

    @Test
    void itSaysSinceWhen() throws Exception {
        assertThat(audited("since between now() - interval '10 minutes' and now() + interval '10 minutes'"))
                .isEqualTo("t");
        assertThat(audited("enabled")).isEqualTo("t");
        database.execute("alter table account disable trigger user");
        assertThat(audited("enabled")).isEqualTo("f");
    }

    @Test
    void aRenamedColumnOrTableIsFollowed() throws Exception {
        database.execute("alter table account rename id to number", "alter table account rename to accounts");
        RowLocks locks = locks(LockStrategy.BOTH);
        lock(session, locks, forUpdate(LockKey.row("accounts", 7)));
        session.execute("update accounts set balance = 0 where number = 7");
        assertThat(writers()).isEmpty();
        write(session, "update accounts set balance = 0 where number = 8");

        assertThat(writers()).extracting(StrayWriter::table).containsExactly("accounts");
    }

    /** An error in the audit only causes a warning to the writer. */
    @Test
    void aBrokenAuditFailsNobody() throws Exception {
        database.execute(Install.audit("account", 1, "balance"), "alter table account rename balance to money");

        write(session, "update account set money = 0 where id = 7");
        assertThat(writers()).isEmpty();
    }

    @Test
    void writersDoNotWaitForEachOther(Session other) throws Exception {
        session.execute("update account set balance = 0 where id = 1");
        other.execute("update account set balance = 0 where id = 2");
        session.commit();
        other.commit();

        assertThat(writers()).hasSize(1);
    }

    @Test
    void serializableWritersDoNotFailEachOther(Session other) throws Exception {
        for (Session each : List.of(session, other)) {
            each.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            each.execute("select balance from account where id = 50");
        }
        session.execute("insert into account values (1001, 0) on conflict (id) do update set balance = 0");
        session.execute("update account set balance = 0 where id = 1001");
        other.execute("select 1");
        session.commit();
        other.commit();

        assertThat(writers()).hasSize(1);
    }

    @Test
    void aSampleThatIsNoneIsRefused() {
        for (double sample : new double[] {0, -1, 1.01, Double.NaN}) {
            assertThatThrownBy(() -> database.execute(Install.audit("account", sample)))
                    .hasMessageContaining("The sample is");
        }
    }
}
