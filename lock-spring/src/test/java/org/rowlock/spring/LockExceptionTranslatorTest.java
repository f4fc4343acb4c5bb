package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockWait;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestPostgres;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.HeuristicCompletionException;

class LockExceptionTranslatorTest {

    private static RowlockException refused(RowLocks locks, LockWait wait) throws Exception {
        Object database = "a database";
        var keys = Set.of(LockKey.row("orders", 1));
        try (var permit = LockAccess.of(locks).admission().enter(database, forUpdate(keys))) {
            assertThat(permit.isQueued()).isTrue();
            RowlockException[] refused = new RowlockException[1];
            Thread other = new Thread(() -> {
                try {
                    LockAccess.of(locks)
                            .admission()
                            .enter(database, forUpdate(keys).waiting(wait))
                            .close();
                } catch (RowlockException e) {
                    refused[0] = e;
                }
            });
            other.start();
            other.join();
            return refused[0];
        }
    }

    @Test
    void aServerThatOnlyReadsForNowIsTransient() {
        var elsewhere = new LockConnectionLostException("a hot standby", "25006", null);
        assertThat(LockExceptionTranslator.translate(elsewhere))
                .isInstanceOf(TransientDataAccessResourceException.class)
                .hasCause(elsewhere);
        assertThat(LockExceptionTranslator.translate(new LockConnectionLostException("lost", "08006", null)))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void admissionThatIsNotToBeHadIsALockThatCannotBeAcquired() throws Exception {
        RowlockException e = refused(LockAccess.builder().build(), LockWait.noWait());
        assertThat(e).isInstanceOf(LockNotAvailableException.class);
        assertThat(LockExceptionTranslator.translate(e))
                .isInstanceOf(CannotAcquireLockException.class)
                .hasCause(e)
                .hasMessageContaining("orders[1]");
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

    @Test
    void anAbsentRowIsAnEmptyResult() {
        RowAbsentException e = new RowAbsentException("no such row", null, null);
        assertThat(LockExceptionTranslator.translate(e))
                .isInstanceOf(EmptyResultDataAccessException.class)
                .hasMessageStartingWith("no such row")
                .hasCause(e);
    }

    /** A new subclass must be given a place on purpose. */
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
