package org.rowlock.jdbc;

import java.util.Map;

/**
 * The figures and settings of a DataSource or a URL of the drop-in, which can be changed while it runs. In JMX it is
 * {@code org.rowlock:type=Jdbc,name=...}. Thread-safe.
 */
public interface RowlockJdbcMXBean {
    /**
     * Returns the settings.
     *
     * @return their words by {@code mode}, {@code include}, {@code exclude}, {@code front},
     *     {@code group} and {@code flush}
     */
    Map<String, String> getSettings();

    /**
     * Changes a setting, for statements and commits from now on. Threads that wait already keep their places, and
     * connections that were opened while groups were off have none.
     *
     * @param key one of those above
     * @param word as in a URL; tables with commas between them, none for the default
     * @throws IllegalArgumentException if there is no such setting, or no such word for it
     */
    void set(String key, String word);

    /**
     * Returns the figures of each table since the start. Statements without a recognised table have the empty name.
     *
     * <ul>
     *   <li>{@code recognised}: statements that lock one row
     *   <li>{@code queued}, {@code wouldQueue}: those that waited in the JVM, or would have in mode {@code observe}
     *   <li>{@code queuedMillis}: the time that they waited in the JVM
     *   <li>{@code fronted}: those that had an advisory lock in front
     *   <li>{@code frontGivenUp}: those that waited for that lock and were then sent without it
     *   <li>{@code kept}: writes that were kept for the COMMIT
     *   <li>{@code grouped}, {@code groups}: UPDATEs that ran in groups, and the groups
     *   <li>{@code groupsUndone}: groups that failed, or whose outcome is unknown
     *   <li>{@code alone.REASON}: UPDATEs that waited and could join no group
     *   <li>{@code passed.REASON}: statements that were sent as they are
     * </ul>
     *
     * @return the figures, by table and name
     */
    Map<String, Map<String, Long>> getFigures();

    /**
     * Returns the rows for which most statements queued, or would have.
     *
     * @return how many, by {@code table(key)}, the most wanted first; at most 64
     */
    Map<String, Long> getHotRows();

    /**
     * Returns how many threads of this JVM wait in the queues now, for rows of all databases.
     *
     * @return how many
     */
    int getQueued();
}
