package org.rowlock.doctor;

import org.jspecify.annotations.Nullable;

/**
 * A change that the user should make.
 *
 * @param figure the observation that led to the advice
 * @param statement the statement that the advice is about; null if there is none, or if the role cannot see the
 *     statement
 * @param gain the average number of waiting sessions that the advice could free, times five if it removes a cause of
 *     waits
 */
public record Advice(
        String rule,
        String subject,
        String action,
        String figure,
        String reason,
        @Nullable String statement,
        double gain) {}
