package org.rowlock.examples;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.Claim;
import org.rowlock.RowLocks;

/** A job queue in a table, from which many workers claim jobs. The claim replaces FOR UPDATE SKIP LOCKED. */
public final class JobQueue {
    private final RowLocks locks;

    /** Creates a queue that locks with the given row locks. */
    public JobQueue(RowLocks locks) {
        this.locks = locks;
    }

    /** Takes up to ten jobs, marks them done, and returns their ids. */
    public List<Long> workAndCommit() throws SQLException {
        // snippet: claim-and-commit
        // was: select * from job where state = 'ready' order by id limit 10 for update skip locked
        Claim ready =
                Claim.from("job").where("state = ?", "ready").orderBy("id").limit(10);
        return locks.claim(ready, job -> job.getLong("id")).inTransaction(tx -> {
            tx.atCommit().addBatch("update job set state = 'done' where id = ?", tx.rows());
            return tx.rows();
        });
        // end
    }

    /** Takes up to ten jobs in the caller's transaction, marks them done, and returns their ids. */
    public List<Long> work(Connection connection) throws SQLException {
        // snippet: claim
        Claim ready =
                Claim.from("job").where("state = ?", "ready").orderBy("id").limit(10);
        List<Long> ids = locks.in(connection).claim(ready, job -> job.getLong("id"));
        // end
        for (long id : ids) {
            Sql.update(connection, "update job set state = 'done' where id = ?", id);
        }
        return ids;
    }
}
