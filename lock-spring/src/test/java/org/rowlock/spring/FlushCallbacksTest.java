package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;
import jakarta.transaction.Synchronization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hibernate.engine.spi.SessionImplementor;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** While Rowlock keeps Hibernate's last writes, the writes of the application's own callbacks have true counts. */
class FlushCallbacksTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    private static Runnable beforeUpdate = () -> {};

    @Entity(name = "Account")
    @Table(name = "account")
    static class Account {
        @Id
        long id;

        long balance;

        @PreUpdate
        void update() {
            beforeUpdate.run();
        }
    }

    enum Callback {
        OF_THE_ENTITY,
        OF_THE_SESSION,
        OF_THE_TRANSACTION_MANAGER
    }

    @ParameterizedTest
    @EnumSource
    void aCallbackGetsTheCountOfItsOwnWrite(Callback callback) throws Exception {
        RowlockDataSource keeping =
                RowlockDataSource.wrap(Contexts.pool(database), "keeping", Map.of("flushWithCommit", "true"));
        database.closing(keeping);
        TestContext context = Contexts.jpa(
                database,
                keeping,
                new Unit(Account.class),
                beans -> Contexts.settings(beans, new TestSettings().verify(false)));
        EntityManager entities = context.entities();
        // The first transaction on a table keeps no writes.
        for (int i = 1; i < 3; i++) {
            int balance = i;
            context.inTransaction(status -> entities.find(Account.class, 1L).balance = balance);
        }
        assertThat(keeping.control().getFigures().get("account").get("kept")).isEqualTo(1);
        JdbcTemplate jdbc = new JdbcTemplate(keeping);
        List<Integer> counts = new ArrayList<>();
        Runnable write = () -> counts.add(jdbc.update("update account set balance = 9 where id = ?", 9));
        if (callback == Callback.OF_THE_TRANSACTION_MANAGER) {
            context.getBean(JpaTransactionManager.class).addListener(new TransactionExecutionListener() {
                @Override
                public void beforeCommit(TransactionExecution transaction) {
                    write.run();
                }
            });
        }
        beforeUpdate = callback == Callback.OF_THE_ENTITY ? write : () -> {};
        context.inTransaction(status -> {
            entities.find(Account.class, 1L).balance = 5;
            SessionImplementor session = entities.unwrap(SessionImplementor.class);
            if (callback == Callback.OF_THE_SESSION) {
                session.getTransaction().registerSynchronization(new Synchronization() {
                    @Override
                    public void beforeCompletion() {
                        write.run();
                        counts.add(session.createMutationQuery("update Account set balance = 9 where id = 9")
                                .executeUpdate());
                    }

                    @Override
                    public void afterCompletion(int status) {}
                });
            }
        });
        beforeUpdate = () -> {};
        assertThat(counts).isNotEmpty().containsOnly(0);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("5");
    }
}
