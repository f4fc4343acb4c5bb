package org.rowlock.jdbc.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.FixedWidth;
import org.rowlock.jdbc.corpus.Corpus.Entry;
import org.rowlock.jdbc.corpus.Corpus.Lock;
import org.rowlock.jdbc.internal.queue.DropIn;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.jdbc.internal.wrap.RowlockConnection;
import org.rowlock.testing.TestDatabase;

/** A connection knows the row of each statement of the corpus: from its text, the catalog and what is bound. */
class CorpusOnConnectionTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(Corpus.schema());

    /** With a gate that is always full, so that each row that would queue is counted. */
    private final DropIn dropIn = new DropIn(
            new JdbcSettings("corpus", DropInMode.OBSERVE, List.of(), List.of(), LockFront.NEVER, 1, false),
            FixedWidth.queues(0));

    @Test
    void theRowsThatWouldQueueAreThoseOfTheCorpus() throws Exception {
        SoftAssertions all = new SoftAssertions();
        try (DropIn closed = dropIn;
                Connection connection =
                        RowlockConnection.wrap(database.dataSource().getConnection(), closed, null, null)) {
            connection.setAutoCommit(false);
            for (Entry template : Corpus.entries()) {
                Entry entry = template.in(database.schema());
                // The first time the key of the table may be unknown; it is looked up when the transaction ends.
                run(connection, entry);
                long before = counted();
                run(connection, entry);

                boolean queues = entry.expected() instanceof Lock lock && queues(lock);
                all.assertThat(counted() - before).as("rows of %s", entry).isEqualTo(queues ? 1 : 0);
                if (queues) {
                    all.assertThat(dropIn.getHotRows()).as("rows of %s", entry).containsKey(row(entry));
                }
            }
        }
        all.assertAll();
        assertThat(counted()).isPositive();
    }

    private static boolean queues(Lock lock) {
        return lock.waiting().isEmpty() && !lock.mode().endsWith("SHARE");
    }

    private static String row(Entry entry) {
        Lock lock = (Lock) entry.expected();
        return lock.table() + '(' + String.join(", ", lock.values(entry.parameters())) + ')';
    }

    private long counted() {
        return dropIn.getHotRows().values().stream().mapToLong(Long::longValue).sum();
    }

    private static void run(Connection connection, Entry entry) throws SQLException {
        try (PreparedStatement statement = entry.prepare(connection)) {
            statement.execute();
        } finally {
            connection.rollback();
        }
    }
}
