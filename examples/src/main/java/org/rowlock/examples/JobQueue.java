package org.rowlock.examples;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.Claim;
import org.rowlock.RowLocks;

/** A queue in a table, from which many workers take: FOR UPDATE SKIP LOCKED, replaced. */
public final class JobQueue {
    private final RowLocks locks;

    /** A queue that is locked by the given row locks. */
    public JobQueue(RowLocks locks) {
        this.locks = locks;
    }

    /** The same in a transaction of its own. */
    public List<Long> workAndCommit(DataSource dataSource) throws SQLException {
        Claim ready =
                Claim.from("job").where("state = ?", "ready").orderBy("id").limit(10);
        // snippet: claim-and-commit
        return locks.inTransaction(dataSource, ready, row -> row.getLong("id"), tx -> {
            tx.atCommit().addBatch("update job set state = 'done' where id = ?", tx.rows());
            return tx.rows();
        });
        // end
    }

    /** Takes up to ten jobs and marks them done, in the caller's transaction. */
    public List<Long> work(Connection connection) throws SQLException {
        // snippet: claim
        // was: select * from job where state = 'ready' order by id limit 10 for update skip locked
        Claim ready =
                Claim.from("job").where("state = ?", "ready").orderBy("id").limit(10);
        List<Long> ids = locks.in(connection).claim(ready, row -> row.getLong("id"));
        // end
        try (PreparedStatement statement = connection.prepareStatement("update job set state = 'done' where id = ?")) {
            for (long id : ids) {
                statement.setLong(1, id);
                statement.executeUpdate();
            }
        }
        return ids;
    }
}
