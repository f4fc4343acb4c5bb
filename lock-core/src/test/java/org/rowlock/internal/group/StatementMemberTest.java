package org.rowlock.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.TestDatabase;

/** What becomes of members in moments that a program cannot choose. */
class StatementMemberTest {
    private static final String SQL = "update account set balance = balance + 1 where id = ?";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    private final SharedTransactions groups = new SharedTransactions(8);
    private final KeyQueues queues = FixedWidth.queues(1);

    /** The driver's statement, which another thread closes when its batch is done. */
    private static PreparedStatement closedBehindItsBatch(PreparedStatement statement) {
        return Proxies.of(PreparedStatement.class, (proxy, method, arguments) -> {
            Object result = Proxies.call(statement, method, arguments);
            if (method.getName().equals("executeLargeBatch")) {
                statement.close();
            }
            return result;
        });
    }

    private long update() throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = closedBehindItsBatch(connection.prepareStatement(SQL))) {
            SessionIdentity session = new SessionIdentity(new DriverAccess(connection), "origin");
            SessionIdentity.Equal equal = Objects.requireNonNull(session.equal(groups));
            StatementMember member = new StatementMember(
                    groups,
                    session,
                    equal,
                    new StatementMember.Execution(SQL, "account", "account(1)", statement, to -> to.setInt(1, 1)));
            QueueEntry entry = queues.entry(1, member);
            try {
                entry.enter(Long.MAX_VALUE, Integer.MAX_VALUE);
                member.entered(entry);
                return Objects.requireNonNull(member.result(entry)).count();
            } finally {
                entry.leave();
            }
        }
    }

    @Test
    void whatIsDoneIsDoneThoughItsStatementIsClosedMeanwhile() throws Exception {
        QueueEntry front = queues.entry(1, null);
        assertThat(front.tryEnter()).isTrue();
        List<FutureTask<Long>> members = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            int waiting = i;
            members.add(new FutureTask<>(this::update));
            new Thread(members.get(i - 1)).start();
            TestDatabase.await().until(() -> queues.queued() == waiting);
        }
        front.leave();
        for (FutureTask<Long> each : members) {
            assertThat(TestDatabase.result(each)).isOne();
        }
        assertThat(database.query("select balance from account")).isEqualTo("4");
    }
}
