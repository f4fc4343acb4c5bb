package org.rowlock.doctor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.RowWait.Holder;
import org.rowlock.doctor.RowWait.HolderState;

/** The waits for rows of one table, over all samples. */
final class TableWaits {
    private final String table;
    private final Tally<Cause> causes = new Tally<>();
    private final Tally<RowLockMode> modes = new Tally<>();
    private final Tally<String> statements = new Tally<>();
    private final Tally<HolderState> holders = new Tally<>();
    private final Tally<String> hotRows = new Tally<>();
    private long sessions;
    private long queues;
    private long queuedInLongest;
    private int longestQueue;
    private Duration longestWait = Duration.ZERO;
    private Duration heldIdle = Duration.ZERO;
    private long idleHolders;
    private Duration firstWaits = Duration.ZERO;
    private long firsts;

    TableWaits(String table) {
        this.table = table;
    }

    /** Adds a waiting session of a sample. */
    void add(RowWait waiting) {
        sessions++;
        causes.add(waiting.cause());
        @Nullable RowLockMode mode = waiting.mode();
        if (mode != null) {
            modes.add(mode);
        }
        @Nullable String statement = waiting.statement();
        if (statement != null) {
            statements.add(statement);
        }
        if (waiting.waited().compareTo(longestWait) > 0) {
            longestWait = waiting.waited();
        }
        if (waiting.transaction() != null) {
            firstWaits = firstWaits.plus(waiting.waited());
            firsts++;
        }
    }

    /** Adds who holds a row of a sample. */
    void addHolder(Holder holder) {
        holders.add(holder.state());
        @Nullable Duration idle = holder.inState();
        if (holder.state() == HolderState.IDLE_IN_TRANSACTION && idle != null) {
            heldIdle = heldIdle.plus(idle);
            idleHolders++;
        }
    }

    /** Adds the longest queue of a sample. */
    void addLongestQueue(int waiters) {
        queues++;
        queuedInLongest += waiters;
        longestQueue = Math.max(longestQueue, waiters);
    }

    void addHotRow(String key) {
        hotRows.add(key);
    }

    String table() {
        return table;
    }

    /** Waiting sessions, of all samples together. */
    long sessions() {
        return sessions;
    }

    /** How many want the most wanted row at a time: its waiters and its holder, over the samples in which somebody waits. */
    double contenders() {
        return queues == 0 ? 0 : (double) queuedInLongest / queues + 1;
    }

    /** The most that were seen at one row. */
    int mostContenders() {
        return queues == 0 ? 0 : longestQueue + 1;
    }

    /** In how many samples somebody waited. */
    long samplesWithWaits() {
        return queues;
    }

    Duration longestWait() {
        return longestWait;
    }

    /**
     * For how long those that wait for a holder itself, and not behind others, had waited when they were looked at, on
     * average. That is about half of what a holder keeps them waiting, and any role may see it.
     */
    Duration firstInLineWait() {
        return firsts == 0 ? Duration.ZERO : firstWaits.dividedBy(firsts);
    }

    /** For how long an idle holder had been idle when it was looked at, on average; zero if none was. */
    Duration heldIdle() {
        return idleHolders == 0 ? Duration.ZERO : heldIdle.dividedBy(idleHolders);
    }

    Tally<Cause> causes() {
        return causes;
    }

    Tally<RowLockMode> modes() {
        return modes;
    }

    /** The statements, where they can be seen. */
    Tally<String> statements() {
        return statements;
    }

    Tally<HolderState> holders() {
        return holders;
    }

    /** The keys of rows that had the longest queue of a sample. */
    Tally<String> hotRows() {
        return hotRows;
    }
}
