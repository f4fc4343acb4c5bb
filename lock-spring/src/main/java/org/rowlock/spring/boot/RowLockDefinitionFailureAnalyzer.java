package org.rowlock.spring.boot;

import org.rowlock.internal.text.Docs;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a definition that cannot work as what is wrong and what to change, without a stack trace. */
final class RowLockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<RowLockDefinitionException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RowLockDefinitionException cause) {
        String action = cause.action() + " (see " + Docs.URL + "spring-operations.md#at-startup)";
        return new FailureAnalysis(cause.problem(), action, cause);
    }
}
