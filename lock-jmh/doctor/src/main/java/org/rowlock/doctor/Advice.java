package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * Something to do.
 *
 * @param rule the name of the rule that says so
 * @param subject a table, or what else it is about
 * @param action what to do
 * @param figure what was seen
 * @param reason why it helps
 * @param statement which it is about; null if none, or not visible
 * @param queryId the server's query_id of that; null if not known
 * @param gain how many sessions at a time it may free, by which advice is ranked; more where it goes to the cause
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
