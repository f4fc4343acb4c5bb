package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * Something that the user should do.
 *
 * @param rule the name of the rule that gave the advice
 * @param subject a table, or whatever else the advice is about
 * @param action what to do
 * @param figure what was seen
 * @param reason why it helps
 * @param statement the statement that the advice is about; null if there is none, or if it is not visible
 * @param queryId the server's query_id of that statement; null if it is not known
 * @param gain how many sessions at a time the advice may free, times a weight if it removes a cause of waits; advice is
 *     ranked by its gain
 */
public record Advice(
        String rule,
        String subject,
        String action,
        String figure,
        String reason,
        @Nullable String statement,
        @Nullable Long queryId,
        double gain) {}
