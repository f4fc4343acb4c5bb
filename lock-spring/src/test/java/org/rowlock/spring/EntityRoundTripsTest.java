package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockStrategy;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.annotation.Transactional;

/** Counts the round trips of a method that locks the row of an entity, finds the entity and changes the entity. */
class EntityRoundTripsTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    @Transactional
    static class Accounts {
        @PersistenceContext
        EntityManager entities;

        public void annotated(@RowLock("account") long id) {
            entities.find(Account.class, id).balance++;
        }

        public void set(@RowLock("account") long id, long balance) {
            entities.find(Account.class, id).balance = balance;
        }

        public void changedByAnother(long id, Runnable another) {
            entities.find(Account.class, id).balance = 1;
            another.run();
        }

        public void transfer(@RowLock("account") List<Long> ids) {
            entities.find(Account.class, ids.get(0)).balance--;
            entities.find(Account.class, ids.get(1)).balance++;
        }

        public void byHand(long id) {
            entities.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE).balance++;
        }
    }

    /** Starts a context with a pool, because the opening of a connection takes further round trips. */
    private TestContext start(boolean lockEntities, boolean flushWithCommit) {
        return start(lockEntities, dropIn(flushWithCommit));
    }

    private DataSource dropIn(boolean flushWithCommit) {
        var counted = database.dataSource();
        counted.setSocketFactory(RoundTripCounter.class.getName());
        return RowlockDataSource.wrap(
                Contexts.pool(counted), "counted", Map.of("flushWithCommit", Boolean.toString(flushWithCommit)));
    }

    private TestContext start(boolean lockEntities, DataSource dataSource) {
        return start(lockEntities, dataSource, new Unit(Account.class));
    }

    private TestContext start(boolean lockEntities, DataSource dataSource, Unit unit) {
        return Contexts.jpa(
                database,
                dataSource,
                unit,
                beans -> {
                    Contexts.locks(beans, LockStrategy.ROW);
                    Contexts.settings(beans, new TestSettings().verify(false).lockEntities(lockEntities));
                },
                Accounts.class);
    }

    private static int counted(Runnable call) {
        // The first calls look up the table, and make the driver describe the statements.
        for (int i = 0; i < 12; i++) {
            call.run();
        }
        int before = RoundTripCounter.counted();
        call.run();
        return RoundTripCounter.counted() - before;
    }

    @Test
    void theLockAndTheEntityAreOneRoundTrip() throws Exception {
        try (TestContext context = start(true, false)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(counted(() -> accounts.byHand(1))).isEqualTo(3);
            assertThat(counted(() -> accounts.annotated(1))).isEqualTo(3);
        }
        try (TestContext context = start(false, false)) {
            Accounts accounts = context.getBean(Accounts.class);
            assertThat(counted(() -> accounts.annotated(1))).isEqualTo(4);
        }
        assertThat(database.query("select balance from account")).isEqualTo("39");
    }

    @Test
    void theLockOfSeveralRowsAndTheirEntitiesAreOneRoundTrip() throws Exception {
        database.execute("insert into account select generate_series(2, 5)");
        Accounts accounts = start(true, true).getBean(Accounts.class);
        assertThat(counted(() -> accounts.transfer(List.of(5L, 2L)))).isEqualTo(2);
        Accounts byStatement = start(false, true).getBean(Accounts.class);
        assertThat(counted(() -> byStatement.transfer(List.of(5L, 2L)))).isEqualTo(4);
        assertThat(database.query("select string_agg(balance::text, ' ' order by id) from account"))
                .isEqualTo("0 26 0 0 -26");
    }

    /** Strict compliance refuses the query for several rows. */
    @Test
    void underStrictComplianceTheLockOfOneRowIsStillOneRoundTrip() throws Exception {
        database.execute("insert into account values (2)");
        Unit strict = new Unit(Map.of("hibernate.jpa.compliance.query", "true"), Account.class);
        Accounts accounts = start(true, dropIn(true), strict).getBean(Accounts.class);
        assertThat(counted(() -> accounts.annotated(1))).isEqualTo(2);
        assertThat(counted(() -> accounts.transfer(List.of(1L, 2L)))).isEqualTo(4);
    }

    /** An advisory lock before JPA's own statement would add a round trip while the row is held. */
    @Test
    void longWaitsForOthersAddNoRoundTrip() throws Exception {
        Accounts accounts = start(true, false).getBean(Accounts.class);
        // The first calls hold the row for a long time. Many more calls are needed until Rowlock knows the usual
        // hold time.
        for (int i = 0; i < 100; i++) {
            accounts.annotated(1);
        }
        Session other = database.session("other");
        for (int i = 0; i < 4; i++) {
            other.execute("select from account for update");
            CompletableFuture<Void> call = CompletableFuture.runAsync(() -> accounts.annotated(1));
            TestDatabase.await("a long wait").until(() -> RowLockTests.waitsFor(database, "300 ms"));
            other.rollback();
            TestDatabase.result(call);
        }
        int before = RoundTripCounter.counted();
        accounts.annotated(1);
        assertThat(RoundTripCounter.counted() - before).isEqualTo(3);
    }

    /** The commit throws the exception that an earlier flush would have thrown, and nothing is stored. */
    @Test
    void theLastWritesGoWithTheCommit() throws Exception {
        database.execute("alter table account add check (balance < 50)");
        TestContext context = start(true, true);
        Accounts accounts = context.getBean(Accounts.class);
        assertThat(counted(() -> accounts.annotated(1))).isEqualTo(2);
        assertThat(counted(() -> accounts.byHand(1))).isEqualTo(2);
        assertThat(context.getBean(JpaTransactionManager.class).getJpaDialect())
                .as("the application's own")
                .isExactlyInstanceOf(HibernateJpaDialect.class);
        assertThatThrownBy(() -> accounts.set(1, 50)).isInstanceOf(DataIntegrityViolationException.class);
        assertThatThrownBy(
                        () -> accounts.changedByAnother(1, () -> RowLockTests.execute(database, "delete from account")))
                .isInstanceOf(ObjectOptimisticLockingFailureException.class);
        assertThat(database.query("select count(*) from account")).isEqualTo("0");
    }

    @Entity(name = "document")
    static class Document {
        @Id
        long id;

        @Column(unique = true)
        String name;

        @Version
        int version;
    }

    @Transactional
    static class Documents {
        @PersistenceContext
        EntityManager entities;

        public Document rename(long id, String name, Runnable before) {
            Document document = entities.find(Document.class, id);
            document.name = name;
            before.run();
            return document;
        }

        public void merge(Document document) {
            entities.merge(document);
        }
    }

    /** Otherwise a merge of the entity would overwrite the other transaction's change, or refuse a correct name. */
    @Test
    void anEntityWhoseWriteFailedKeepsItsVersion() throws Exception {
        database.execute("create table document (id bigint primary key, name text unique, version int)");
        TestContext context = Contexts.jpa(
                database,
                dropIn(true),
                new Unit(Document.class),
                beans -> Contexts.settings(beans, new TestSettings().verify(false)),
                Documents.class);
        Documents documents = context.getBean(Documents.class);
        for (boolean isKept : new boolean[] {false, true}) {
            database.execute("truncate document", "insert into document values (1, 'a', 0), (2, 'b', 0)");
            Document[] failed = new Document[1];
            assertThatThrownBy(() -> context.inTransaction(status -> {
                        failed[0] = documents.rename(
                                1,
                                "c",
                                () -> RowLockTests.execute(
                                        database, "update document set name = 'd', version = 1 where id = 1"));
                    }))
                    .isInstanceOf(ObjectOptimisticLockingFailureException.class);
            assertThat(failed[0].version).as("kept: %s", isKept).isZero();
            assertThatThrownBy(() -> documents.merge(failed[0])).isInstanceOf(OptimisticLockException.class);
            assertThatThrownBy(() -> context.inTransaction(status -> failed[0] = documents.rename(2, "d", () -> {})))
                    .isInstanceOf(DataIntegrityViolationException.class);
            failed[0].name = "e";
            documents.merge(failed[0]);
            assertThat(database.query("select string_agg(name || version, ' ' order by id) from document"))
                    .isEqualTo("d1 e1");
        }
    }

    /** Spring borrows a lazy connection for the first statement. A commit must not borrow one. */
    @Test
    void aTransactionThatSendsNothingBorrowsNoConnection() {
        AtomicInteger borrowed = new AtomicInteger();
        DataSource counting = new DelegatingDataSource(dropIn(true)) {
            @Override
            public Connection getConnection() throws SQLException {
                borrowed.incrementAndGet();
                return super.getConnection();
            }
        };
        TestContext context = start(true, new LazyConnectionDataSourceProxy(counting));
        Accounts accounts = context.getBean(Accounts.class);
        assertThat(counted(() -> accounts.annotated(1))).isEqualTo(2);
        int before = borrowed.get();
        context.inTransaction(status -> assertThat(status.isNewTransaction()).isTrue());
        assertThat(borrowed).hasValue(before);
    }
}
