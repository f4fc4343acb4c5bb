package org.rowlock.guard;

import java.time.Instant;

/**
 * A table that is audited.
 *
 * @param table the table, as the session's search_path has it
 * @param since since when
 * @param sample the share of statements that are looked at, above 0 and at most 1
 * @param isEnabled whether it is not switched off by {@code ALTER TABLE ... DISABLE TRIGGER}
 */
public record AuditedTable(String table, Instant since, double sample, boolean isEnabled) {}
