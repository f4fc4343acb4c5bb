package org.rowlock.doctor;

/** The thresholds at which figures begin to matter. */
final class Threshold {
    /**
     * The share of busy time, spent in waits for locks, from which a migration can pay. If a tenth of the busy time
     * goes, the throughput rises to 1.1 times at most.
     */
    static final double HURT_SHARE = 0.10;

    /** The number of sessions waiting for rows from which a migration can pay. */
    static final double HURT_SESSIONS = 0.5;

    /**
     * The smallest share of busy time that matters. In a sample of a few seconds, a smaller share may be due to chance.
     */
    static final double FELT_SHARE = 0.02;

    /**
     * The smallest number of waiting sessions that matters. A tenth of a session is six seconds of waiting per minute,
     * for all clients together.
     */
    static final double FELT_SESSIONS = 0.1;

    /**
     * The number of sessions that wait for a lock other than a row. A session that waits alone, as CREATE INDEX does,
     * delays no other.
     */
    static final double OTHER_SESSIONS = 2;

    /** The number of busy sessions below which the server is too idle for a verdict on its busy hours. */
    static final double IDLE_SESSIONS = 0.5;

    /**
     * The number of transactions per second below which a server with few busy sessions is idle. Samples may miss the
     * sessions of short transactions.
     */
    static final double IDLE_PER_SECOND = 10;

    /**
     * The number of transactions below which the server is idle. The server's statistics arrive late, so a few of the
     * counted transactions may have run before the sampling.
     */
    static final double IDLE_TRANSACTIONS = 1_000;

    /** The share of all waits for rows below which a table or another database gets no advice. */
    static final double TABLE_SHARE = 0.05;

    /**
     * The share of a total below which a part is not shown. It may be due to chance, such as a statement that ended
     * between two views.
     */
    static final double NOISE = 0.01;

    /**
     * The number of sessions that contend for one row. With fewer, a shorter queue at the server or another lock costs
     * what it saves. On zipfian keys, an advisory lock before the row lock has 0.86 times the throughput of FOR UPDATE
     * with 4 clients. With 10 clients it is 1.2 times, and with 90 it is 1.8 times.
     */
    static final double CONVOY = 10;

    /**
     * How long the first in line has waited. Compared with this, the hand-over of a row takes little: about a
     * millisecond.
     */
    static final double LONG_HOLD_MILLIS = 100;

    /** The number of sessions seen in a wait event, in all samples together. Fewer may be chance. */
    static final int SIGHTINGS = 10;

    /** The share of a holder's time that is called most of its time. */
    static final double MOST = 0.5;

    /**
     * The time without a statement in a transaction from which the application must have worked. A round trip alone
     * takes less.
     */
    static final double WORK_MILLIS = 10;

    /** The time from which a pause between lock and commit does not count as work, and a statement counts as long. */
    static final double LONG_SECONDS = 10;

    /** The share of the server's WAL from which a statement gets advice of its own. */
    static final double WAL_SHARE = 0.10;

    /** The WAL per call, in bytes. A shared lock of one row writes about 60 bytes. */
    static final double WAL_PER_CALL = 50;

    /**
     * MultiXacts per second. At this rate the server reaches the default autovacuum_multixact_freeze_max_age (400
     * million) in 46 days. It then reads every table in full to freeze it, however little the table changes.
     */
    static final double MULTIXACTS_PER_SECOND = 100;

    /**
     * The share of busy time, spent in LWLock waits for MultiXacts, that matters. Samples seldom see such a short wait,
     * unless its holder lost the processor.
     */
    static final double LWLOCK_SHARE = 0.05;

    /**
     * The number of blocks read per claimed row from which the claim lacks an index. An index that fits the claim finds
     * a row in fewer than ten.
     */
    static final double BLOCKS_PER_CLAIM = 50;

    /**
     * The age in seconds from which a horizon is old. In a benchmark, a snapshot that stayed open three times as long
     * cut the rate of zipfian updates to a sixth.
     */
    static final double OLD_HORIZON_SECONDS = 300;

    /**
     * The number of xids that make a horizon old at any rate: about the updates of a busy hot table in five minutes.
     */
    static final long OLD_HORIZON_XIDS = 100_000;

    /** The number of xids below which too few dead rows exist to matter. */
    static final long FEW_XIDS = 1_000;

    /**
     * The share of the lock table's capacity from which the doctor warns. When the table is full, even sessions that
     * lock no rows fail.
     */
    static final double LOCK_TABLE_SHARE = 0.5;

    /**
     * The number of advisory locks from which a session without a transaction has probably forgotten them. A leader
     * keeps one, and a worker keeps one for each of its jobs.
     */
    static final long KEPT_LOCKS = 100;

    /** The number of dead rows below which a table is small, however many of its rows are dead. */
    static final long DEAD_ROWS = 10_000;

    /** The weight of advice that removes a cause of waits, relative to advice that only shortens waits. */
    static final double CAUSE = 5;

    /** The number of rows from which a scan is long. A scan is the best way to read a smaller table. */
    static final double LONG_SCAN = 1_000;

    /**
     * The number of scans per call that shows that each call scans. It is below 1, because the server counts scans up
     * to a second late.
     */
    static final double SCANS_PER_CALL = 0.25;

    /** The rollbacks per second. A program that ends its reads with ROLLBACK has as many, but no waits. */
    static final double ROLLBACKS_PER_SECOND = 10;

    static final double ROLLBACK_SHARE = 0.1;

    private Threshold() {}
}
