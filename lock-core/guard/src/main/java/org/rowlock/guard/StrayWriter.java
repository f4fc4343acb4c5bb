package org.rowlock.guard;

import java.time.Instant;

/**
 * A writer that has updated or deleted rows without holding their keys, as the audit has seen it. The same statement
 * with other values, of the same role and application, is one writer.
 *
 * @param table the table, as the session's search_path has it; of a partition its root
 * @param operation {@code UPDATE} or {@code DELETE}
 * @param role the role that the session ran as
 * @param application its application_name; empty if it had none
 * @param query the statement that the client sent, its first 500 characters
 * @param context where within it the row was written, such as a trigger or a cascade; empty if by the statement itself
 * @param firstSeen when it was seen first
 * @param lastSeen when it was seen last, exact to the hour
 */
public record StrayWriter(
        String table,
        String operation,
        String role,
        String application,
        String query,
        String context,
        Instant firstSeen,
        Instant lastSeen) {}
