package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Checks that the default lock, like Hibernate's PESSIMISTIC_WRITE, does not conflict with inserts that reference the
 * row.
 */
@Tag("long")
class ForeignKeyTest {
    private static final int THREADS = 8;
    private static final int CALLS = 25;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table parent (id bigint primary key, children int not null default 0)",
            "create table child (id bigint generated always as identity, parent bigint references parent)",
            "insert into parent values (1)");

    @Transactional
    static class Parents {
        @Autowired
        JdbcTemplate jdbc;

        public void count(@RowLock("parent") long id) {
            Integer children = jdbc.queryForObject("select children from parent where id = ?", Integer.class, id);
            jdbc.update("update parent set children = ? where id = ?", children + 1, id);
        }

        public void hold(@RowLock("parent") long id, Runnable meanwhile) {
            meanwhile.run();
        }

        public void countForUpdate(@RowLock(value = "parent", mode = RowLockMode.FOR_UPDATE) long id) {
            count(id);
        }
    }

    private TestContext start(LockStrategy strategy) {
        HikariDataSource pool = Contexts.pool(database);
        pool.setMaximumPoolSize(THREADS + 1);
        return Contexts.start(database, pool, beans -> Contexts.locks(beans, strategy), Parents.class);
    }

    /**
     * Inserts a child and then locks its parent, as a Hibernate application does. Returns the number of deadlocks. With
     * FOR UPDATE, this order leads to deadlocks.
     */
    private int deadlocks(TestContext context, java.util.function.LongConsumer lockAndCount) throws Exception {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        TransactionTemplate transaction = context.transactions();
        AtomicInteger deadlocks = new AtomicInteger();
        Threads.run(THREADS, number -> {
            for (int call = 0; call < CALLS; call++) {
                try {
                    transaction.executeWithoutResult(status -> {
                        jdbc.update("insert into child (parent) values (1)");
                        lockAndCount.accept(1);
                    });
                } catch (PessimisticLockingFailureException e) {
                    deadlocks.incrementAndGet();
                }
            }
        });
        return deadlocks.get();
    }

    @ParameterizedTest
    @EnumSource
    void insertAChildThenLockTheParentDoesNotDeadlock(LockStrategy strategy) throws Exception {
        var context = start(strategy);
        assertThat(deadlocks(context, context.getBean(Parents.class)::count)).isZero();
        assertThat(database.query("select children from parent")).isEqualTo(String.valueOf(THREADS * CALLS));
    }

    /** The annotation's default mode and the template's forNoKeyUpdate both let the insert pass. */
    @ParameterizedTest
    @EnumSource
    void anInsertPassesBesideAHeldParent(LockStrategy strategy) throws Exception {
        var context = start(strategy);
        Session insert = database.session("insert");
        Runnable beside = () -> {
            try {
                insert.execute("set lock_timeout = 1");
                insert.execute("insert into child (parent) values (1)");
                insert.rollback();
            } catch (Exception e) {
                throw new IllegalStateException("The insert had to wait for the parent", e);
            }
        };
        context.getBean(Parents.class).hold(1, beside);
        context.template().inTransaction(forNoKeyUpdate(LockKey.row("parent", 1)), () -> {
            beside.run();
            return null;
        });
    }

    /** The control: FOR UPDATE waits for the inserts of other transactions. Two such transactions would deadlock. */
    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void forUpdateWaitsForTheInsertsOfOthers(LockStrategy strategy) throws Exception {
        var context = start(strategy);
        Session insert = database.session("insert");
        insert.execute("insert into child (parent) values (1)");
        var update = Blocking.run(() -> context.getBean(Parents.class).countForUpdate(1));
        Blocking.awaitWaiterBehind(database.dataSource(), insert.pid());
        insert.rollback();
        TestDatabase.result(update);
    }
}
