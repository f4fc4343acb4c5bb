package org.rowlock.jdbc;

import java.util.List;
import java.util.Map;

/**
 * What a DataSource or a URL does about statements that lock rows, and has done, to see and to change while it runs; by JMX as
 * {@code org.rowlock:type=Jdbc,name=...}. Thread-safe.
 */
public interface RowlockJdbcMXBean {
    /** The mode: {@code off}, {@code observe} or {@code queue}. */
    String getMode();

    /**
     * Changes the mode, for statements from now on; who waits goes on waiting for his turn.
     *
     * @throws IllegalArgumentException if there is no such mode
     */
    void setMode(String mode);

    /** The tables that are looked at, as SQL writes them; all where this is empty. */
    List<String> getInclude();

    /** Changes the tables that are looked at. A name without a schema means that of any schema. */
    void setInclude(List<String> tables);

    /** The tables that are left out. */
    List<String> getExclude();

    /** Changes the tables that are left out. */
    void setExclude(List<String> tables);

    /**
     * Figures by table since the start: {@code recognised} statements; those that {@code queued}, or would have in mode
     * {@code observe} ({@code wouldQueue}); {@code queuedMillis} in the JVM; {@code passed.REASON} that went to the server as they
     * are. Statements of no table that was recognised stand under the empty name.
     */
    Map<String, Map<String, Long>> getFigures();

    /** The rows for which most statements queued, or would have, as {@code table(key)} with how many; at most 64. */
    Map<String, Long> getHotRows();

    /** How many threads of this JVM wait for their turn now, on all its databases. */
    int getQueued();
}
