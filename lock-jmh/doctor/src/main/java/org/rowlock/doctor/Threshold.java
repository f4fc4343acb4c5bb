package org.rowlock.doctor;

/** The thresholds of figures. A figure leads to advice or changes the verdict if it reaches its threshold. */
final class Threshold {
    /**
     * Rowlock is worthwhile only if at least this share of the busy sessions waits for locks. If a tenth of the busy
     * time disappears, the throughput rises to 1.1 times at most.
     */
    static final double HURT_SHARE = 0.10;

    /** Rowlock is worthwhile only if, on average, at least this many sessions wait for rows. */
    static final double HURT_SESSIONS = 0.5;

    /** The smallest share of one kind of wait that matters. A smaller share can be due to chance. */
    static final double FELT_SHARE = 0.02;

    /**
     * The smallest number of waiting sessions that matters. A tenth of a session equals six seconds of waiting per
     * minute, summed over all clients.
     */
    static final double FELT_SESSIONS = 0.1;

    /**
     * The smallest number of sessions that leads to advice about waits for locks other than row locks. If only one
     * session waits, for example to run CREATE INDEX, it delays no other session.
     */
    static final double OTHER_SESSIONS = 2;

    /** The smallest number of busy sessions that permits a verdict at any transaction rate. */
    static final double IDLE_SESSIONS = 0.5;

    /**
     * The smallest transaction rate that permits a verdict if few sessions are busy. The rate is needed because samples
     * may miss short transactions.
     */
    static final double IDLE_PER_SECOND = 10;

    /**
     * The smallest number of transactions that permits a verdict if few sessions are busy. PostgreSQL publishes
     * statistics late, so a few of the counted transactions may have run before the sampling.
     */
    static final double IDLE_TRANSACTIONS = 1_000;

    /** The smallest share of all row waits that leads to advice about a table. */
    static final double TABLE_SHARE = 0.05;

    /**
     * The smallest share of a total that the report shows. A smaller share may be an artifact: a statement can end
     * between the reads of two views.
     */
    static final double NOISE = 0.01;

    /**
     * The smallest number of sessions at one row that form a convoy. With fewer sessions, a queue in the JVM or an
     * advisory lock costs as much as it saves.
     */
    static final double CONVOY = 10;

    /**
     * If the first session in line has waited this many milliseconds, the row is held for a long time. A faster
     * hand-over then saves little, because a hand-over takes only about a millisecond.
     */
    static final double LONG_HOLD_MILLIS = 100;

    /**
     * The smallest number of observed sessions, summed over all samples, from which a figure is computed. Fewer
     * observations can be due to chance.
     */
    static final int SIGHTINGS = 10;

    static final double MOST = 0.5;

    /**
     * If a holder is idle for this many milliseconds, its application does other work. A round trip alone takes less
     * time. For a holder that runs a query, this value also replaces {@link #LONG_HOLD_MILLIS}.
     */
    static final double WORK_MILLIS = 10;

    /** The shortest time in seconds after which a blocker is reported as hanging. */
    static final double LONG_SECONDS = 10;

    /** The smallest share of the server's WAL that leads to advice about a statement with shared locks. */
    static final double WAL_SHARE = 0.10;

    /**
     * The smallest number of WAL bytes per call that shows a shared lock in every call. A shared lock of one row writes
     * about 60 bytes.
     */
    static final double WAL_PER_CALL = 50;

    /**
     * The smallest rate of new MultiXacts per second that matters. At this rate the server reaches the default
     * autovacuum_multixact_freeze_max_age (400 million) in 46 days. Autovacuum then vacuums even tables that hardly
     * change.
     */
    static final double MULTIXACTS_PER_SECOND = 100;

    /**
     * The doctor gives advice if at least this share of the busy sessions waits for a MultiXact LWLock. Samples seldom
     * see these short waits.
     */
    static final double LWLOCK_SHARE = 0.05;

    /**
     * The smallest number of blocks per locked row that shows a missing index. With a fitting index, a statement reads
     * fewer than ten blocks per row.
     */
    static final double BLOCKS_PER_CLAIM = 50;

    /**
     * The smallest age in seconds of an old vacuum horizon. In a benchmark, a snapshot that was open for three times
     * this age cut the rate of zipfian updates to a sixth.
     */
    static final double OLD_HORIZON_SECONDS = 300;

    /**
     * The number of xids that makes a vacuum horizon old if its age in seconds is unknown, for example for a slot. If
     * the server assigns more xids within {@link #OLD_HORIZON_SECONDS}, that larger number is required. A busy hot
     * table has about 100,000 updates in five minutes.
     */
    static final long OLD_HORIZON_XIDS = 100_000;

    /** The number of xids that every old vacuum horizon has. With fewer xids, there are too few dead rows to matter. */
    static final long FEW_XIDS = 1_000;

    /**
     * The smallest share of the lock table's capacity that leads to advice. When the table is full, even sessions that
     * lock no rows fail.
     */
    static final double LOCK_TABLE_SHARE = 0.5;

    /** The smallest share of the connections that leads to advice. New sessions fail if all connections are in use. */
    static final double CONNECTION_SHARE = 0.9;

    /**
     * With this number of session-level advisory locks, a session has probably forgotten to unlock. An elected leader
     * keeps one advisory lock, and a worker keeps one for each job.
     */
    static final long KEPT_LOCKS = 100;

    /** The smallest number of dead rows in a table that is reported as bloated. */
    static final long DEAD_ROWS = 10_000;

    /** The weight of advice that removes a cause of waits, relative to advice that only shortens waits. */
    static final double CAUSE = 5;

    /**
     * The smallest number of rows in a long sequential scan. For a smaller table, a sequential scan is the best plan.
     */
    static final double LONG_SCAN = 1_000;

    /**
     * The smallest number of sequential scans per call that shows a scan in every call. The threshold is below 1,
     * because PostgreSQL counts scans up to a second late.
     */
    static final double SCANS_PER_CALL = 0.25;

    /**
     * The smallest rate of rollbacks per second that can indicate failures. A program that ends its reads with ROLLBACK
     * reaches this rate too, so {@link Rules} also requires signs of failure.
     */
    static final double ROLLBACKS_PER_SECOND = 10;

    static final double ROLLBACK_SHARE = 0.1;

    private Threshold() {}
}
