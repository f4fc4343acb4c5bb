package org.rowlock.jdbc;

import java.util.Map;

/**
 * The figures and the settings of a DataSource or a URL of the drop-in. The name of the bean in JMX is
 * {@code org.rowlock:type=Jdbc,name=...}. Thread-safe.
 */
public interface RowlockJdbcMXBean {
    /**
     * Returns the settings.
     *
     * @return the values of {@code mode}, {@code include}, {@code exclude}, {@code front},
     *     {@code largestGroup} and {@code flushWithCommit}
     */
    Map<String, String> getSettings();

    /**
     * Changes a setting for all later statements and commits. Waiting threads keep their positions in the queues. If
     * groups were off when a connection was opened, statements of that connection never join a group.
     *
     * @param key the name of a setting, as {@link #getSettings} returns it
     * @param word the value, as in a URL. Commas separate the names of tables; an empty value of {@code include} or
     *     {@code exclude} names no table
     * @throws IllegalArgumentException if there is no such setting or value
     */
    void set(String key, String word);

    /**
     * Returns the figures of each table since the DataSource was wrapped, or since the URL was first used. Statements
     * whose table is not recognised are counted under the empty name. After 1,024 names, further tables are counted
     * together under the name {@code (others)}.
     *
     * <ul>
     *   <li>{@code recognised}: statements that lock rows of one table and select the rows by equality of columns
     *   <li>{@code queued}: statements that waited in the JVM
     *   <li>{@code wouldQueue}: statements that were sent in mode {@code observe}, and would have waited in mode {@code
     *       queue}
     *   <li>{@code queuedMillis}: the total time of the waits of {@code queued}
     *   <li>{@code fronted}: statements before which Rowlock requested an advisory lock
     *   <li>{@code frontGivenUp}: statements that Rowlock sent again without the advisory lock, usually because the
     *       wait for the advisory lock was too long
     *   <li>{@code kept}: writes that Rowlock kept in memory for the COMMIT
     *   <li>{@code grouped}, {@code groups}: the number of UPDATEs that ran in groups, and the number of these groups
     *   <li>{@code groupsUndone}: groups that failed or have an unknown outcome
     *   <li>{@code alone.REASON}: UPDATEs that waited, but could not join a group
     *   <li>{@code passed.REASON}: statements that entered no queue
     * </ul>
     *
     * @return the figures, by table and name
     */
    Map<String, Map<String, Long>> getFigures();

    /**
     * Returns the rows for which the most statements queued. A statement in mode {@code observe} counts if it would
     * have queued in mode {@code queue}.
     *
     * @return the number of statements by row, written {@code table(key)}; the largest number first, at most 64 rows
     */
    Map<String, Long> getHotRows();

    /**
     * Returns how many threads of this JVM wait in the drop-in's queues now, for rows of all databases.
     *
     * @return the number of threads
     */
    int getQueued();
}
