package org.rowlock;

/** When a commit releases the locks of its transaction. Either way it returns once the transaction is durable. */
public enum LockRelease {
    /**
     * Releases them once the transaction is durable, as PostgreSQL does. They are held while the commit waits for the
     * disk and the synchronous standby. The default.
     */
    PLAIN,

    /**
     * Releases them as soon as the commit is in the server's memory, if others wait for the lock. The commit returns
     * once the transaction is durable, as {@code synchronous_commit} demands, so no acknowledged commit can be lost.
     * Until then, for about as long as a commit takes, others see changes that a crash or a failover can take back. So
     * a later commit of Rowlock with this setting returns only once all that its transaction may have read is durable.
     * This includes a commit of a transaction that wrote nothing.
     *
     * <p>It suits rows whose locks are held longer for the disk or a standby than for the work. A commit has two more
     * statements in its round trip, a second transaction id and about 100 bytes of WAL. From PostgreSQL 17 on, without
     * a required standby, it has no second id and 64 bytes. A transaction that has only locked or read waits for the
     * disk and the standby too.
     *
     * <p>If the server cannot do it, commits are {@link #PLAIN}, which is logged once: a database of several machines,
     * or a role that may not execute {@code pg_logical_emit_message}. With {@code preferQueryMode=simple} or a negative
     * {@code prepareThreshold} commits wait for what they may have read, but hold their locks meanwhile.
     */
    EARLY
}
