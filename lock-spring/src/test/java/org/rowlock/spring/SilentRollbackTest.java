package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.spring.Contexts.Probe;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * Checks that Rowlock reports an aborted transaction. The server answers its COMMIT with a rollback, which the driver
 * does not report.
 */
@Tag("long")
class SilentRollbackTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    static class Accounts {
        @Autowired
        Probe probe;

        @Autowired
        JdbcTemplate jdbc;

        @Autowired
        RowLockTemplate locks;

        @Transactional
        public void add(@RowLock("account") int id) {
            probe.setBalance(id, 7);
            swallow();
        }

        public void addByTemplate(int id) {
            locks.inTransaction(forNoKeyUpdate(LockKey.row("account", id)), () -> {
                probe.setBalance(id, 7);
                swallow();
                return true;
            });
        }

        @Transactional
        public void addAndRollBack(@RowLock("account") int id) {
            add(id);
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }

        @Transactional
        public void addBeforeASavepoint(@RowLock("account") int id, Runnable nested) {
            probe.setBalance(id, 7);
            try {
                nested.run();
            } catch (DataAccessException e) {
                assertThat(e).hasRootCauseInstanceOf(SQLException.class);
            }
        }

        private void swallow() {
            try {
                jdbc.update("insert into account values (1)");
            } catch (DataAccessException e) {
                assertThat(e).hasRootCauseInstanceOf(SQLException.class);
            }
        }
    }

    static class Audit {
        @Autowired
        JdbcTemplate jdbc;

        @Transactional(propagation = Propagation.NESTED)
        public void fail() {
            jdbc.update("insert into account values (1)");
        }
    }

    @Test
    void workThatSwallowsAnErrorIsNotReportedAsCommitted() throws Exception {
        Accounts accounts = Contexts.start(database, Accounts.class).getBean(Accounts.class);
        for (Runnable each : new Runnable[] {() -> accounts.add(1), () -> accounts.addByTemplate(1)}) {
            assertMisuse(each::run)
                    .hasMessageContainingAll("Nothing of the work of the transaction is stored", "savepoint")
                    .hasRootCauseInstanceOf(SQLException.class)
                    .rootCause()
                    .hasMessageContaining("duplicate key");
            assertThat(database.query("select balance from account")).isEqualTo("0");
        }
    }

    @Test
    void whoRollsBackAnywayHearsNothing() throws Exception {
        var context = Contexts.start(database, Accounts.class);
        context.getBean(Accounts.class).addAndRollBack(1);
        assertThat(database.query("select balance from account")).isEqualTo("0");
    }

    @Test
    void aRollbackThatSpringReportsIsNotReportedOtherwise() {
        var context = Contexts.jpa(database, new Unit(Account.class));
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        assertThatThrownBy(() -> context.inTransaction(outer -> {
                    context.template().lock(forNoKeyUpdate(LockKey.row("account", 1)));
                    assertThatThrownBy(
                                    () -> context.inTransaction(inner -> jdbc.update("insert into account values (1)")))
                            .isInstanceOf(DataAccessException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
    }

    /** Spring rolls back, and says nothing. */
    @Test
    void aRollbackThatIsRequestedAtTheCommitIsReported() {
        var context = Contexts.jpa(database, new Unit(Account.class));
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        assertMisuse(() -> context.inTransaction(outer -> {
                    context.template().lock(forNoKeyUpdate(LockKey.row("account", 1)));
                    TestContext.beforeCommit(() -> {
                        assertThatThrownBy(() -> jdbc.update("insert into account values (1)"))
                                .isInstanceOf(DataAccessException.class);
                        outer.setRollbackOnly();
                    });
                }))
                .hasMessageContaining("Nothing of the work of the transaction is stored");
    }

    @Test
    void anErrorBehindASavepointKeepsNothingFromCommitting() throws Exception {
        var context = Contexts.start(database, Accounts.class, Audit.class);
        context.getBean(Accounts.class)
                .addBeforeASavepoint(1, () -> context.getBean(Audit.class).fail());
        assertThat(database.query("select balance from account")).isEqualTo("7");
    }
}
