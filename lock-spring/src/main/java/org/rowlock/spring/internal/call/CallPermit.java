package org.rowlock.spring.internal.call;

import java.sql.SQLTransientConnectionException;
import org.rowlock.AdmissionQueues;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A call's turn to go to the database. Says to those behind whether a connection was to be had, and is given back as
 * soon as the transaction has ended, before listeners that run then. Belongs to one thread.
 */
final class CallPermit implements TransactionSynchronization, AutoCloseable {
    private final AdmissionQueues.Permit permit;
    private boolean told;

    CallPermit(AdmissionQueues.Permit permit) {
        this.permit = permit;
    }

    /** The call has its connection, and its locks. */
    void connected() {
        if (!told) {
            told = true;
            permit.connected(true);
            TransactionSynchronizationManager.registerSynchronization(this);
        }
    }

    /** The call has failed: in an outage, before it had its locks, those behind need not wait for each other. */
    void failed(Throwable failure) {
        if (!told) {
            told = true;
            permit.connected(!isWithoutConnection(failure));
        }
    }

    private static boolean isWithoutConnection(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            // The second is a pool's, of a connection that is only borrowed for the first statement.
            if (cause instanceof CannotCreateTransactionException || cause instanceof SQLTransientConnectionException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCommit() {
        close();
    }

    @Override
    public void afterCompletion(int status) {
        close();
    }

    @Override
    public void close() {
        permit.close();
    }
}
