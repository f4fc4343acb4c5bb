package org.rowlock.spring.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockTests;
import org.rowlock.testing.TestDatabase;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** What a caller is told whose connection is lost in the commit; docs/errors.md says it. */
class LostCommitTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            1,
            "create function lose() returns trigger language plpgsql as"
                    + " $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$",
            "create constraint trigger lose after update on account deferrable initially deferred"
                    + " for each row execute function lose()");

    static class Service {
        private final JdbcTemplate jdbc;

        Service(DataSource dataSource) {
            jdbc = new JdbcTemplate(dataSource);
        }

        @Transactional
        public void deposit(@RowLock("account") long id) {
            jdbc.update("update account set balance = balance + 1 where id = ?", id);
        }
    }

    @Test
    void underJpaItIsALostConnectionLikeAnyOther() throws Exception {
        try (var context = RowLockTests.start(
                beans -> {
                    beans.registerBean("dataSource", DataSource.class, database::dataSource);
                    beans.registerBean(JpaTransactions.Unit.class, () -> new JpaTransactions.Unit(Account.class));
                    beans.registerBean(Service.class);
                },
                JpaTransactions.class)) {
            Service service = context.getBean(Service.class);
            RuntimeException e = catchThrowableOfType(RuntimeException.class, () -> service.deposit(1));
            assertThat(e).isInstanceOf(DataAccessResourceFailureException.class);
        }
        assertThat(database.query("select balance from account")).isEqualTo("0");
    }
}
