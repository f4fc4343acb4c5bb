package org.rowlock;

import java.sql.Connection;
import java.util.List;

/**
 * What the work of a locked transaction has in hand. Belongs to the thread of the work, until the work returns.
 *
 * @param <R> the value of a row of the query or claim that came with the lock; {@link Void} without one
 */
public final class Locked<R> {
    private final Connection connection;
    private final List<R> rows;
    private final List<LockKey> absentRows;
    private final CommitWrites atCommit = new CommitWrites();

    Locked(Connection connection, List<R> rows, List<LockKey> absentRows) {
        this.connection = connection;
        this.rows = rows;
        this.absentRows = absentRows;
    }

    /**
     * The transaction's connection. The work must not commit, roll back or close it; a rollback to a savepoint of its
     * own is fine. {@linkplain #atCommit() Writes} are refused if the work has ended the transaction, but not if it has
     * begun another one since: Rowlock cannot distinguish the two.
     *
     * @return the connection
     */
    public Connection connection() {
        return connection;
    }

    /**
     * What the query that came with the lock returned, or the rows that were claimed.
     *
     * @return a value per row; empty without query or claim
     */
    public List<R> rows() {
        return rows;
    }

    /**
     * The keys whose row was looked for and does not exist; see {@link LockResult#absentRows}.
     *
     * @return the keys; empty behind {@link LockRequest#requireRow} and a claim
     */
    public List<LockKey> absentRows() {
        return absentRows;
    }

    /**
     * The writes that are sent with the COMMIT, in one flush: the lock is held for a round trip less, and for one less
     * for each of them. Reads of the work do not see them.
     *
     * @return the writes, to add to
     */
    public CommitWrites atCommit() {
        return atCommit;
    }
}
