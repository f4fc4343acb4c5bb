package org.rowlock.spring.boot;

import org.rowlock.internal.text.Docs;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/** Explains, without a stack trace, why a {@code @RowLock} cannot work and what to change. */
@Order(0)
final class RowLockFailureAnalyzer extends AbstractFailureAnalyzer<RowLockDefinitionException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RowLockDefinitionException cause) {
        String action = cause.action() + " (see " + Docs.URL + "spring-operations.md#at-startup)";
        return new FailureAnalysis(cause.problem(), action, cause);
    }
}
