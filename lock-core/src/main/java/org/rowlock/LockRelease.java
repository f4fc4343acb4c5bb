package org.rowlock;

/** When a commit releases the locks of its transaction. In both cases it returns once the transaction is durable. */
public enum LockRelease {
    /**
     * Releases them once the transaction is durable, as PostgreSQL does. They are held while the commit waits for the
     * disk and the synchronous standby. The default.
     */
    PLAIN,

    /**
     * Releases them as soon as the commit is in the server's memory, if other transactions wait for the lock. The
     * commit returns once the transaction is durable according to {@code synchronous_commit}, so no acknowledged commit
     * can be lost. Until then, other transactions see changes that a crash or a failover can undo. So a later commit of
     * Rowlock with this setting returns only once everything that its transaction may have read is durable. This
     * applies even to a transaction that wrote nothing.
     *
     * <p>Use it for rows whose locks are held longer for the disk or a standby than for the work. A commit has two more
     * statements in its round trip, and takes a second transaction id and about 100 bytes of WAL. From PostgreSQL 17
     * on, without a synchronous standby, it takes no second id and 64 bytes. A transaction that has only locked or read
     * waits for the disk and the standby too.
     *
     * <p>Commits are {@link #PLAIN}, which is logged once, in a database of several machines, or if the role may not
     * execute {@code pg_logical_emit_message}. With {@code preferQueryMode=simple} or a negative {@code
     * prepareThreshold} commits wait for what they may have read, but hold their locks meanwhile.
     */
    EARLY
}
