package org.rowlock.doctor;

/** From where on a figure matters. */
final class Threshold {
    /** Of busy time. Less than a tenth cannot be worth a migration: all of it saved would be 1.1x. */
    static final double HURT_SHARE = 0.10;

    /** Sessions at a time. With less than one waiting every other moment the server has nothing to gain. */
    static final double HURT_SESSIONS = 0.5;

    /** Of busy time. Below this a sample of some seconds may be chance. */
    static final double FELT_SHARE = 0.02;

    /** Sessions at a time. A tenth of one session is six seconds of waiting a minute, for all clients together. */
    static final double FELT_SESSIONS = 0.1;

    /**
     * Sessions at a time that wait for another lock than a row. One that waits alone, as CREATE INDEX does, keeps up
     * nobody.
     */
    static final double OTHER_SESSIONS = 2;

    /** Busy sessions at a time below which the server is too idle for a verdict on its busy hours. */
    static final double IDLE_SESSIONS = 0.5;

    /**
     * Transactions a second, with as few busy sessions. Short ones keep sessions busy for moments that no sample meets.
     */
    static final double IDLE_PER_SECOND = 10;

    /** Transactions in all: the server's statistics come in late, and a few may be from before. */
    static final double IDLE_TRANSACTIONS = 1_000;

    /** Of all waits for rows. A table with fewer is not the one to begin with. */
    static final double TABLE_SHARE = 0.05;

    /** Of what is shown in parts. Less is chance, such as a statement that ended between two views. */
    static final double NOISE = 0.01;

    /**
     * Sessions that want one row at a time. Below it a shorter queue at the server, or another lock, costs what it
     * saves: measured on zipfian keys, an advisory lock in front makes 0.86x with 4 clients, 1.2x with 10, 1.8x with
     * 90.
     */
    static final double CONVOY = 10;

    /** How long the first in line has waited. Beside this the hand-over of a row, a millisecond or so, is nothing. */
    static final double LONG_HOLD_MILLIS = 100;

    /** Sessions seen in a wait event, in all samples together. Fewer are chance. */
    static final int SIGHTINGS = 10;

    /** Of what holders are seen to do: the most of their time. */
    static final double MOST = 0.5;

    /** How long an application is silent in a transaction when it works there, and not only the network. */
    static final double WORK_MILLIS = 10;

    /**
     * A pause of this length between lock and commit is no work any more, and a statement of this length no short one.
     */
    static final double LONG_SECONDS = 10;

    /** Of the server's WAL: a statement that is worth a rule of its own. */
    static final double WAL_SHARE = 0.10;

    /** A call. A shared lock of one row writes about 60 bytes. */
    static final double WAL_PER_CALL = 50;

    /**
     * MultiXacts a second. At this rate the default autovacuum_multixact_freeze_max_age (400 million) is reached in 46
     * days, and each table is read in full to freeze it, however little it changes.
     */
    static final double MULTIXACTS_PER_SECOND = 100;

    /**
     * Of busy time in LWLock waits for MultiXacts or the lock table. Each should be too short to be ever seen, unless
     * its holder has lost the processor.
     */
    static final double LWLOCK_SHARE = 0.05;

    /** Blocks read for a row that is claimed; an index that fits finds one in fewer than ten. */
    static final double BLOCKS_PER_CLAIM = 50;

    /** With an open snapshot zipfian updates fell to a sixth of their rate within 15 minutes: a third of that. */
    static final double OLD_HORIZON_SECONDS = 300;

    /** As many make a horizon old at any rate: about what a busy hot table is updated in five minutes. */
    static final long OLD_HORIZON_XIDS = 100_000;

    /** Fewer leave too few dead rows to matter. */
    static final long FEW_XIDS = 1_000;

    /** Of the lock table's room. A full table fails sessions that have nothing to do with it. */
    static final double LOCK_TABLE_SHARE = 0.5;

    /** Dead rows below which a table is small however many of its rows are dead. */
    static final long DEAD_ROWS = 10_000;

    /** How much sooner the cause of waits is named than what only shortens them. */
    static final double CAUSE = 5;

    /** Rows that a scan reads; a small table is best read so. */
    static final double LONG_SCAN = 1_000;

    /** The server counts scans up to a second late. */
    static final double SCANS_PER_CALL = 0.25;

    /** A second, and of all transactions; a program that ends its reads with ROLLBACK has as many, and no waits. */
    static final double ROLLBACKS_PER_SECOND = 10;

    static final double ROLLBACK_SHARE = 0.1;

    private Threshold() {}
}
