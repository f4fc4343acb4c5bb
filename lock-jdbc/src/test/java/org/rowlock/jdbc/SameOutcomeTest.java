package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/**
 * Who blocks whom, and what the server says: the same through the driver alone and through the wrapper in each mode,
 * with a session of the driver alone on the other side. In mode queue one is let in at a time, and with
 * front the lock goes in front wherever it may.
 */
@Tag("long")
@ParameterizedClass
@EnumSource(SameOutcomeTest.Way.class)
class SameOutcomeTest {
    @Parameter
    private Way way;

    private Session plain;
    private Session wrapped;
    private Session other;

    private static final List<String> MODES = List.of("update", "no key update", "share", "key share");

    /** Whether the second waits for the first, as the documentation of PostgreSQL has it, in the order of the modes. */
    private static final boolean[][] CONFLICTS = {
        {true, true, true, true}, {true, true, true, false}, {true, true, false, false}, {true, false, false, false}
    };

    /** What stands between the application and the driver. */
    enum Way {
        PLAIN,
        OFF,
        OBSERVE,
        QUEUE,
        FRONT;

        DataSource open(TestDatabase database) throws SQLException {
            if (this == PLAIN) {
                return database.dataSource();
            }
            DropInMode mode = this == FRONT ? DropInMode.QUEUE : DropInMode.valueOf(name());
            return GatedDatabase.of(database, mode, this == FRONT, "account").dataSource;
        }
    }

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    @BeforeEach
    void open() throws SQLException {
        DataSource dataSource = way.open(database);
        plain = database.session("plain");
        wrapped = database.session("wrapped", dataSource);
        other = database.session("other", dataSource);
    }

    private static String lock(int id, String mode) {
        return "select * from account where id = " + id + " for " + mode;
    }

    @Test
    void whoBlocksWhom() throws Exception {
        for (int held = 0; held < MODES.size(); held++) {
            for (int wanted = 0; wanted < MODES.size(); wanted++) {
                assertBlocks(plain, wrapped, held, wanted);
                assertBlocks(wrapped, plain, held, wanted);
            }
        }
    }

    private static void assertBlocks(Session holder, Session other, int held, int wanted) throws Exception {
        holder.execute(lock(1, MODES.get(held)));
        Step<Boolean> step = other.startExecute(lock(1, MODES.get(wanted)));
        if (CONFLICTS[held][wanted]) {
            step.awaitBlockedBy(holder);
            holder.commit();
            step.get();
        } else {
            step.get();
            holder.commit();
        }
        other.commit();
    }

    @Test
    void aDeadlockIsFoundAndOneGoesOn() throws Exception {
        wrapped.execute(lock(1, "update"));
        other.execute("update account set balance = 1 where id = 2");
        Step<Boolean> first = wrapped.startExecute(lock(2, "update"));
        first.awaitBlockedBy(other);
        Step.assertDeadlock(first, other.startExecute("update account set balance = 2 where id = 1"));
    }

    @Test
    void aLockGoesWithItsSavepoint() throws Exception {
        wrapped.execute("savepoint s");
        wrapped.execute(lock(1, "update"));
        Step<Boolean> step = plain.startExecute(lock(1, "update"));
        step.awaitBlockedBy(wrapped);
        wrapped.execute("rollback to savepoint s");
        step.get();
        Step<Boolean> back = wrapped.startExecute(lock(1, "update"));
        back.awaitBlockedBy(plain);
        plain.commit();
        back.get();
        wrapped.commit();
    }

    @Test
    void cancelFromTheClientAndFromOutside() throws Exception {
        plain.execute(lock(1, "update"));

        AtomicReference<Statement> running = new AtomicReference<>();
        Step<Boolean> step = wrapped.start(connection -> {
            running.set(connection.createStatement());
            return running.get().execute(lock(1, "update"));
        });
        step.awaitBlockedBy(plain);
        running.get().cancel();
        assertThat(step.state()).isEqualTo("57014");
        assertThat(wrapped.startExecute("select 1").state()).isEqualTo("25P02");
        wrapped.rollback();

        Step<Boolean> again = wrapped.startExecute("update account set balance = 1 where id = 1");
        again.awaitBlockedBy(plain);
        wrapped.cancel();
        assertThat(again.state()).isEqualTo("57014");
        wrapped.rollback();
        plain.commit();
    }

    @Test
    void terminatedWhileItWaits() throws Exception {
        plain.execute(lock(1, "update"));
        Step<Boolean> step = wrapped.startExecute(lock(1, "update"));
        step.awaitBlockedBy(plain);
        wrapped.terminate();
        assertThat(step.state()).isIn("57P01", "08006");
        plain.commit();
    }

    @Test
    void timeoutsEndTheWaitWithTheirOwnErrors() throws Exception {
        plain.execute(lock(1, "update"));
        for (var each :
                Map.of("lock_timeout", "55P03", "statement_timeout", "57014").entrySet()) {
            wrapped.execute("set local " + each.getKey() + " = '50ms'");
            assertThat(wrapped.startExecute(lock(1, "no key update")).state()).isEqualTo(each.getValue());
            wrapped.rollback();
        }
        plain.commit();
    }

    /**
     * The first case by which a lock in front, taken only sometimes, would deadlock: one holds the row, another waits
     * for it, and the first touches it again.
     */
    @Test
    void theHolderTouchesTheRowAgainWhileAnotherQueues() throws Exception {
        wrapped.execute(lock(1, "update"));
        Step<Boolean> step = other.startExecute("update account set balance = balance + 1 where id = 1");
        step.awaitBlockedBy(wrapped);
        wrapped.execute("update account set balance = balance + 1 where id = 1");
        wrapped.commit();
        step.get();
        other.commit();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("2");
    }

    /** The second case: a versioned update of no row, then a row of another who wants the first one. */
    @Test
    void aVersionedUpdateOfNoRowKeepsNobodyAway() throws Exception {
        other.execute(lock(2, "update"));
        wrapped.execute("update account set balance = 1 where id = 1 and balance = 99");
        Step<Boolean> step = wrapped.startExecute(lock(2, "update"));
        step.awaitBlockedBy(other);
        other.execute("update account set balance = 5 where id = 1");
        other.commit();
        step.get();
        wrapped.commit();
    }

    /**
     * A thread that holds the row by another connection: the wait in the JVM is bounded, and the rest is the server's.
     */
    @Test
    void sessionLocksTakenBeforeAreTheServersToBreak() throws Exception {
        wrapped.execute(lock(1, "update"));
        other.execute("select pg_advisory_xact_lock(4711)");
        Step<Boolean> second = other.startExecute(lock(1, "update"));
        second.awaitBlockedBy(wrapped);
        Step.assertDeadlock(wrapped.startExecute("select pg_advisory_xact_lock(4711)"), second);
    }
}
