package org.rowlock.jdbc;

import java.util.List;
import java.util.Map;

/**
 * What a DataSource or a URL does about statements that lock rows, and has done, to see and to change while it runs; by
 * JMX as {@code org.rowlock:type=Jdbc,name=...}. Thread-safe.
 */
public interface RowlockJdbcMXBean {
    /**
     * The mode.
     *
     * @return {@code off}, {@code observe} or {@code queue}
     */
    String getMode();

    /**
     * Changes the mode, for statements from now on; threads that wait already keep their places.
     *
     * @param mode off, observe or queue
     * @throws IllegalArgumentException if there is no such mode
     */
    void setMode(String mode);

    /**
     * When commits let go of the locks.
     *
     * @return {@code plain} or {@code early}
     */
    String getRelease();

    /**
     * Changes when commits let go of the locks, for commits from now on.
     *
     * @param release plain or early
     * @throws IllegalArgumentException if there is no such release
     */
    void setRelease(String release);

    /**
     * How many UPDATEs in autocommit may share a transaction.
     *
     * @return a number, or {@code off}
     */
    String getGroup();

    /**
     * Changes it. Connections that were made while it was off go on without.
     *
     * @param group off, on or a number
     * @throws IllegalArgumentException if it is neither, or too large
     */
    void setGroup(String group);

    /**
     * The tables that are looked at.
     *
     * @return their names as SQL writes them; none for all tables
     */
    List<String> getInclude();

    /**
     * Changes the tables that are looked at.
     *
     * @param tables their names as SQL writes them, one without a schema for that of any schema; none for all tables
     * @throws IllegalArgumentException if a name is malformed
     */
    void setInclude(List<String> tables);

    /**
     * The tables that are left out.
     *
     * @return their names as SQL writes them
     */
    List<String> getExclude();

    /**
     * Changes the tables that are left out.
     *
     * @param tables their names as SQL writes them, one without a schema for that of any schema
     * @throws IllegalArgumentException if a name is malformed
     */
    void setExclude(List<String> tables);

    /**
     * Figures by table since the start: {@code recognised} statements; those that {@code queued}, or would have in mode
     * {@code observe} ({@code wouldQueue}); {@code queuedMillis} in the JVM; those that had an advisory lock in front
     * ({@code fronted}), and those that went without it after they had waited for it ({@code frontGivenUp});
     * transactions that were {@code releasedEarly}; UPDATEs that were {@code grouped}, and in how many {@code groups};
     * {@code groupsUndone}, or whose outcome is not known; {@code alone.REASON} that waited and could be of no group;
     * {@code passed.REASON} that went to the server as they are. Statements of no table that was recognised stand under
     * the empty name.
     *
     * @return the figures, by table and name
     */
    Map<String, Map<String, Long>> getFigures();

    /**
     * The rows for which most statements queued, or would have.
     *
     * @return how many, by {@code table(key)}, the most wanted first; at most 64
     */
    Map<String, Long> getHotRows();

    /**
     * How many threads of this JVM wait for their turn now, on all its databases.
     *
     * @return how many
     */
    int getQueued();
}
