package org.rowlock.doctor;

import java.time.Duration;

/** From where on a figure matters, and why from there. */
final class Thresholds {
    /** Of busy time. Less than a tenth cannot be worth a migration: all of it saved would be 1.1x. */
    static final double HURT_SHARE = 0.10;

    /** Sessions at a time. With less than one waiting every other moment the server has nothing to gain. */
    static final double HURT_SESSIONS = 0.5;

    /** Of busy time. Below this a sample of some seconds cannot be told from chance. */
    static final double FELT_SHARE = 0.02;

    /** Sessions at a time. A tenth of one session is six seconds of waiting a minute, for all clients together. */
    static final double FELT_SESSIONS = 0.1;

    /** Busy sessions at a time below which the server is too idle for a verdict on its busy hours. */
    static final double IDLE_SESSIONS = 0.5;

    /** Of the row lock waits. A table with fewer is not the one to begin with. */
    static final double TABLE_SHARE = 0.05;

    /**
     * Sessions that want one row at a time. An advisory lock in front of the row lock costs a trip to the lock table and
     * saves the convoy: measured on zipfian keys 0.86x with 4 clients, 1.2x with 10, 1.8x with 90.
     */
    static final double CONVOY = 10;

    /** How long the first in line waits. Beside this the hand-over of a row, a millisecond or so, is nothing. */
    static final Duration LONG_HOLD = Duration.ofMillis(100);

    /** Of the looks at a holder. From half on it is the application's time that the others wait for. */
    static final double IDLE_HOLDER_SHARE = 0.5;

    /** Of a table's row lock waits: a cause that is worth a recommendation of its own. */
    static final double CAUSE_SHARE = 0.2;

    /** Of anything that is shown in parts. Less is chance, such as a statement that ended between two views. */
    static final double NOISE = 0.01;

    /** Of busy time in LWLock waits for MultiXacts or the lock table. Both should be too short to be ever seen. */
    static final double LWLOCK_SHARE = 0.02;

    /**
     * MultiXacts a second. At this rate the default autovacuum_multixact_freeze_max_age (400 million) is reached in 46
     * days, and each table is read in full to freeze it, however little it changes.
     */
    static final double MULTIXACT_RATE = 100;

    /** Of the age at which vacuum is forced. From here on it is worth knowing how fast it comes. */
    static final double FREEZE_SHARE = 0.5;

    /** On disk. A healthy server has a few MB; lookups go through a cache of kilobytes. */
    static final long MULTIXACT_BYTES = 1_000_000_000L;

    /** With an open snapshot zipfian updates fell to a sixth of their rate within 15 minutes: a third of that. */
    static final Duration OLD_HORIZON = Duration.ofMinutes(5);

    /** The same for what has no clock, such as a slot: about what a busy hot table is updated in five minutes. */
    static final long OLD_HORIZON_XIDS = 100_000;

    /** Of the lock table's room. A full table fails sessions that have nothing to do with it. */
    static final double LOCK_TABLE_SHARE = 0.5;

    /** Dead rows per live one from where on a scan of the table reads mostly dead ones. */
    static final double DEAD_PER_LIVE = 1;

    /** Dead rows below which a table is small however many of its rows are dead. */
    static final long DEAD_ROWS = 10_000;

    private Thresholds() {}
}
