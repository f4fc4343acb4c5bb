package org.rowlock;

/** When a commit lets go of the locks of its transaction. Either way it returns when the transaction is durable. */
public enum LockRelease {
    /**
     * When the transaction is durable, as PostgreSQL does: the locks are held for the disk and the synchronous standby.
     * The default.
     */
    PLAIN,

    /**
     * As soon as the commit is in the server's memory, where others want the lock; the caller hears of it when it is
     * durable, as {@code synchronous_commit} says. No commit that was acknowledged can be lost by it. Until then, for
     * about as long as a commit takes, others see what a crash or a failover can still take back. A commit of Rowlock
     * with this setting returns only when all that its transaction may have read is durable, too, whatever it wrote
     * itself.
     *
     * <p>For rows whose locks are held for the disk or for a standby longer than for the work. A commit has two more
     * statements in its round trip, a second transaction id and about 100 bytes of WAL more (from PostgreSQL 17 on,
     * where no standby is required, no id and 64 bytes). A transaction that has only locked or read waits for the disk
     * and the standby here. Where the server cannot do it (one of several machines, a role that may not execute
     * {@code pg_logical_emit_message}) it is {@link #PLAIN}, which is logged once. So is it where the driver sends each
     * statement by itself ({@code preferQueryMode=simple}) or asks what it returns ({@code prepareThreshold} below
     * zero): there commits wait for what they may have read, but hold their locks meanwhile.
     */
    EARLY
}
