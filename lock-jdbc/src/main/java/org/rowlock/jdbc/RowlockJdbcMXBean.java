package org.rowlock.jdbc;

import java.util.Map;

/**
 * What a DataSource or a URL does about statements that lock rows, and has done, to see and to change while it runs; by
 * JMX as {@code org.rowlock:type=Jdbc,name=...}. Thread-safe.
 */
public interface RowlockJdbcMXBean {
    /**
     * The settings.
     *
     * @return their words by {@code mode}, {@code include}, {@code exclude}, {@code front},
     *     {@code group} and {@code flush}
     */
    Map<String, String> getSettings();

    /**
     * Changes a setting, for statements and commits from now on; threads that wait already keep their places, and
     * connections that were made while groups were off go on without.
     *
     * @param key one of those above
     * @param word as in a URL; tables with commas between them, none for the default
     * @throws IllegalArgumentException if there is no such setting, or no such word for it
     */
    void set(String key, String word);

    /**
     * Figures by table since the start: {@code recognised} statements; those that {@code queued}, or would have in mode
     * {@code observe} ({@code wouldQueue}); {@code queuedMillis} in the JVM;
     * writes that were {@code kept} for the COMMIT; those that had an advisory lock in front
     * ({@code fronted}), and those that went without it after they had waited for it ({@code frontGivenUp});
     * UPDATEs that were {@code grouped}, and in how many {@code groups};
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
