package org.rowlock.spring.boot;

import org.jspecify.annotations.Nullable;
import org.rowlock.LockTransactionException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowlockException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows that the database is none that locks can be taken in, as the verification at startup found. */
final class StartupLockFailureAnalyzer extends AbstractFailureAnalyzer<RowlockException> {
    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RowlockException cause) {
        String action = action(cause);
        return action == null ? null : new FailureAnalysis(cause.getMessage(), action, cause);
    }

    private static @Nullable String action(RowlockException cause) {
        if (cause instanceof LockVerificationException) {
            return "Connect to a PostgreSQL server whose advisory locks exclude, with a pool of at least two"
                    + " connections. Where that cannot be, set rowlock.strategy=row and rowlock.verify=false.";
        }
        if (!(cause instanceof LockTransactionException refused)) {
            return null;
        }
        return switch (refused.reason()) {
            case READ_ONLY ->
                "Connect to the primary with connections that may write. For an instance that only reads, set"
                        + " rowlock.enabled=false if it never calls a method with @RowLock, or rowlock.verify=false.";
            case NOT_POSTGRESQL ->
                "Use the JDBC driver of PostgreSQL, and a pool that unwraps to it. With several"
                        + " DataSources name the transaction manager of the one to lock in:"
                        + " @Transactional(\"bean name\").";
            default ->
                "Change it where the transaction begins. If that is in code that runs at startup, see the stack"
                        + " trace with --debug.";
        };
    }
}
