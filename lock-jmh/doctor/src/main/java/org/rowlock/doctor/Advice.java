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
 */
public record Advice(
        String rule,
        String subject,
        String action,
        String figure,
        String reason,
        @Nullable String statement) {}
