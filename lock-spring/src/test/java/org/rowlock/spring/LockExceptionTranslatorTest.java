package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestPostgres;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.HeuristicCompletionException;

class LockExceptionTranslatorTest {

    static Stream<Arguments> translated() {
        return Stream.of(
                arguments(
                        new LockConnectionLostException("a hot standby", "25006", null),
                        TransientDataAccessResourceException.class),
                arguments(
                        new LockConnectionLostException("lost", "08006", null),
                        DataAccessResourceFailureException.class),
                arguments(
                        new LockNotAvailableException("not admitted to orders[1]", null, null),
                        CannotAcquireLockException.class),
                arguments(
                        new LockVerificationException("locked 0 of 1 keys; the writes are stored", null, null),
                        NonTransientDataAccessResourceException.class),
                arguments(
                        new RowlockException("a pooler mixes up prepared statements", "26000", null),
                        NonTransientDataAccessResourceException.class),
                arguments(new RowAbsentException("no such row", null, null), EmptyResultDataAccessException.class));
    }

    @ParameterizedTest
    @MethodSource("translated")
    void eachIsSpringsAndKeepsMessageAndCause(RowlockException e, Class<?> type) {
        assertThat(LockExceptionTranslator.translate(e))
                .isInstanceOf(type)
                .hasMessageStartingWith(e.getMessage())
                .hasCause(e);
    }

    @Test
    void unknownOutcomeOfACommitIsOneForSpringToo() throws Exception {
        PGSimpleDataSource dataSource = TestPostgres.shared().dataSource();
        try (TcpProxy proxy = TcpProxy.to(dataSource)) {
            proxy.cutBefore("COMMIT");
            CommitOutcomeUnknownException e = catchThrowableOfType(
                    CommitOutcomeUnknownException.class,
                    () -> RowLocks.of(proxy.through(dataSource))
                            .lock(forUpdate(LockKey.name("spring")))
                            .<@Nullable Object, SQLException>inTransaction(tx -> null));
            assertThat(LockExceptionTranslator.translate(e))
                    .hasCause(e)
                    .isInstanceOfSatisfying(
                            HeuristicCompletionException.class,
                            translated -> assertThat(translated.getOutcomeState())
                                    .isEqualTo(HeuristicCompletionException.STATE_UNKNOWN));
        }
    }

    @Test
    void aCommitThatIsNotConfirmedIsCommitted() {
        CommitNotConfirmedException e =
                new CommitNotConfirmedException("committed", "01000", new SQLException("why", "01000"));
        assertThat(LockExceptionTranslator.translate(e))
                .hasCause(e)
                .isInstanceOfSatisfying(
                        HeuristicCompletionException.class,
                        translated -> assertThat(translated.getOutcomeState())
                                .isEqualTo(HeuristicCompletionException.STATE_COMMITTED));
    }

    /** A new subclass must be added to the translation explicitly. */
    @Test
    void everyExceptionOfTheCoreIsConsidered() throws Exception {
        Set<String> known = Set.of(
                "CommitNotConfirmedException",
                "CommitOutcomeUnknownException",
                "LockCanceledException",
                "LockConnectionLostException",
                "LockDeadlockException",
                "LockInterruptedException",
                "LockNotAvailableException",
                "LockSerializationException",
                "LockTableFullException",
                "LockTargetException",
                "LockTransactionException",
                "LockVerificationException",
                "RowAbsentException",
                "UnexpectedRowCountException");
        Set<String> there = RowLockTests.subclasses(
                        RowlockException.class, "org/rowlock/*.class", "org/rowlock/internal/**/*.class")
                .map(Class::getSimpleName)
                .collect(Collectors.toSet());
        assertThat(there).isEqualTo(known);
    }
}
