package org.rowlock.spring.boot;

import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Docs;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Explains, without a stack trace, why a {@code @RowLock} cannot work and what to change. */
@Order(0)
final class RowLockFailureAnalyzer extends AbstractFailureAnalyzer<RuntimeException> {
    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RuntimeException cause) {
        RowLockDefinitionException definition = findCause(rootFailure, RowLockDefinitionException.class);
        return definition == null
                ? null
                : new FailureAnalysis(
                        definition.problem(),
                        definition.action() + " (see " + Docs.URL + "spring-operations.md#at-startup)",
                        definition);
    }
}
