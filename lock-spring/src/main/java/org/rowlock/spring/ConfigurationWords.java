package org.rowlock.spring;

import org.rowlock.AdmissionRejectedException;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.RowlockException;

/** The names that settings of the builder have in an application's configuration. */
final class ConfigurationWords {
    private ConfigurationWords() {}

    /** A sentence to append to the exception's message; empty where it names no setting. */
    static String of(RowlockException e) {
        if (e instanceof AdmissionRejectedException) {
            return " With Spring Boot that is rowlock.admission.max-waiters-per-key.";
        }
        if (e instanceof LockBudgetExceededException) {
            return " With Spring Boot the budget is rowlock.lock-budget.";
        }
        return "";
    }
}
