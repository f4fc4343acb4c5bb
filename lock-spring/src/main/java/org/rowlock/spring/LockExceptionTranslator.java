package org.rowlock.spring;

import static java.util.Map.entry;

import java.util.Map;
import java.util.function.BiFunction;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockCanceledException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockSerializationException;
import org.rowlock.LockTableFullException;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.RowAbsentException;
import org.rowlock.RowlockException;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.text.SqlState;
import org.springframework.core.NestedRuntimeException;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.HeuristicCompletionException;

/**
 * Translates Rowlock's exceptions into the exceptions that Spring throws for row locks. Retries and error handlers that
 * were written for {@code FOR UPDATE} therefore keep working. Rowlock's exception is the cause of Spring's exception,
 * and contains the details.
 * <ul>
 * <li>a lock that is not available (55P03), or a full admission queue: {@link CannotAcquireLockException}
 * <li>a deadlock, or a serialization failure (40001), for example under REPEATABLE READ: {@link
 *     CannotAcquireLockException} too
 * <li>an interrupt in the admission queue: {@link PessimisticLockingFailureException}
 * <li>a statement timeout, or a canceled statement: {@link QueryTimeoutException}
 * <li>a lost connection, or a full lock table: {@link DataAccessResourceFailureException}
 * <li>a server that permits only read-only transactions, as in a failover: {@link
 *     TransientDataAccessResourceException}
 * <li>an unknown outcome of the commit: {@link HeuristicCompletionException}, with the outcome state {@code
 *     STATE_UNKNOWN}; the transaction must not be retried
 * <li>a commit that is possibly not durable: {@link HeuristicCompletionException}, with {@code STATE_COMMITTED}
 * <li>a write at the commit that did not change as many rows as expected: {@link
 *     IncorrectUpdateSemanticsDataAccessException}
 * <li>a wrong kind of transaction, an unknown table, or too many keys: {@link InvalidDataAccessApiUsageException}
 * <li>any other failure; a retry does not help: {@link NonTransientDataAccessResourceException}
 * <li>an absent row that the request does not allow: {@link EmptyResultDataAccessException}
 * </ul>
 */
public final class LockExceptionTranslator {
    private static final Map<Class<?>, BiFunction<String, RowlockException, NestedRuntimeException>> SPRINGS =
            Map.ofEntries(
                    entry(LockNotAvailableException.class, CannotAcquireLockException::new),
                    entry(LockDeadlockException.class, CannotAcquireLockException::new),
                    entry(LockInterruptedException.class, PessimisticLockingFailureException::new),
                    entry(LockSerializationException.class, CannotAcquireLockException::new),
                    entry(LockCanceledException.class, QueryTimeoutException::new),
                    entry(LockConnectionLostException.class, LockExceptionTranslator::ofConnection),
                    entry(LockTableFullException.class, DataAccessResourceFailureException::new),
                    entry(CommitNotConfirmedException.class, ofCommit(HeuristicCompletionException.STATE_COMMITTED)),
                    entry(CommitOutcomeUnknownException.class, ofCommit(HeuristicCompletionException.STATE_UNKNOWN)),
                    entry(UnexpectedRowCountException.class, IncorrectUpdateSemanticsDataAccessException::new),
                    entry(LockTransactionException.class, InvalidDataAccessApiUsageException::new),
                    entry(LockTargetException.class, InvalidDataAccessApiUsageException::new),
                    entry(RowAbsentException.class, (text, e) -> new EmptyResultDataAccessException(text, 1, e)));

    private LockExceptionTranslator() {}

    private static BiFunction<String, RowlockException, NestedRuntimeException> ofCommit(int state) {
        return (text, e) -> new HeuristicCompletionException(state, e);
    }

    private static NestedRuntimeException ofConnection(String text, RowlockException e) {
        return e.sqlState().filter(SqlState.READ_ONLY_SQL_TRANSACTION::equals).isPresent()
                ? new TransientDataAccessResourceException(text, e)
                : new DataAccessResourceFailureException(text, e);
    }

    /**
     * Translates an exception.
     *
     * @param e Rowlock's exception
     * @return Spring's {@code DataAccessException} or {@code TransactionException}, with the given exception as its
     *     cause. The message is Rowlock's message, except in a {@code HeuristicCompletionException}
     */
    public static NestedRuntimeException translate(RowlockException e) {
        return SPRINGS.getOrDefault(e.getClass(), NonTransientDataAccessResourceException::new)
                .apply(String.valueOf(e.getMessage()), e);
    }
}
