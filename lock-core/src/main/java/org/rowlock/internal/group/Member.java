package org.rowlock.internal.group;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockKey;
import org.rowlock.LockOutcome;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowMapper;
import org.rowlock.internal.observe.LockAcquisitionEvent;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.Offer;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.request.WriteResult;

/**
 * One call that a group may do: its writes, and what became of them. Its own thread waits in the queue; if a leader takes it, the
 * leader's thread sends copies of its writes, and its own gets the results, or the exception.
 */
public final class Member implements Offer {
    /** What a statement takes in a flush beside its text and its values. */
    private static final int STATEMENT_BYTES = 60;

    private static final int VALUE_BYTES = 24;

    /** A mapper of another caller is not to hold a connection for good. */
    private static final long MOST_MAPPING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Thread thread = Thread.currentThread();
    private final LockKey key;
    private final RowLockMode mode;
    private final LockWait wait;
    private final LockStrategy strategy;
    private final boolean rowRequired;
    private final List<Write<?>> writes;
    private final long startNanos = System.nanoTime();
    private final int executions;
    private final long bytes;
    private final List<Copied<?>> copies = new ArrayList<>(0);
    private LockAcquisitionEvent event = new LockAcquisitionEvent();
    private long sentNanos = startNanos;
    private @Nullable CommitOutcomeUnknownException failure;
    private volatile @Nullable FutureTask<?> mapping;

    /** A write, and what a leader sends for it. */
    private record Copied<T>(Write<T> own, Write<T> sent) {
        void done() {
            WriteResult<T> result = sent.result();
            if (result != null) {
                own.done(result);
            }
        }
    }

    Member(
            LockKey key,
            RowLockMode mode,
            LockWait wait,
            LockStrategy strategy,
            boolean rowRequired,
            List<Write<?>> writes,
            long bytes) {
        this.key = key;
        this.mode = mode;
        this.wait = wait;
        this.strategy = strategy;
        this.rowRequired = rowRequired;
        this.writes = writes;
        this.bytes = bytes;
        this.executions =
                writes.stream().mapToInt(write -> write.executions().size()).sum();
    }

    /** About how much of a flush the writes take, or -1 if they can be sent only once, or nobody knows what sending them does. */
    static long bytes(List<Write<?>> writes) {
        long bytes = 0;
        for (Write<?> write : writes) {
            for (List<@Nullable Object> binds : write.executions()) {
                bytes += STATEMENT_BYTES + write.sql().length();
                for (Object bind : binds) {
                    long own = bytes(bind);
                    if (own < 0) {
                        return -1;
                    }
                    bytes += own;
                }
            }
        }
        return bytes;
    }

    private static long bytes(@Nullable Object bind) {
        if (bind instanceof String text) {
            return VALUE_BYTES + 2L * text.length();
        }
        if (bind instanceof byte[] array) {
            return VALUE_BYTES + 2L * array.length;
        }
        boolean known = bind == null
                || bind instanceof Long
                || bind instanceof Integer
                || bind instanceof Short
                || bind instanceof Boolean
                || bind instanceof Double
                || bind instanceof Float
                || bind instanceof BigDecimal
                || bind instanceof BigInteger
                || bind instanceof UUID
                || bind instanceof Temporal
                || bind instanceof Date;
        return known ? VALUE_BYTES : -1;
    }

    LockKey key() {
        return key;
    }

    LockWait lockWait() {
        return wait;
    }

    List<Write<?>> writes() {
        return writes;
    }

    int executions() {
        return executions;
    }

    long bytes() {
        return bytes;
    }

    /** Whether it can be one of the group that another leads. */
    boolean fits(Member leader) {
        return rowRequired == leader.rowRequired
                && mode == leader.mode
                && isSameId(key, leader.key)
                && (wait instanceof LockWait.AtMost) == (leader.wait instanceof LockWait.AtMost)
                && remainingNanos() > 0;
    }

    /** Keys are equal by their canonical ids, and a row is locked by the id as it was given. */
    private static boolean isSameId(LockKey key, LockKey other) {
        return !(key instanceof LockKey.Row row)
                || (other instanceof LockKey.Row otherRow && row.givenId().equals(otherRow.givenId()));
    }

    long remainingNanos() {
        return wait instanceof LockWait.AtMost
                ? Waits.atMostNanos(wait) - (System.nanoTime() - startNanos)
                : Long.MAX_VALUE;
    }

    /** It is about to be sent. */
    void begin(LockObserver observer) {
        event = observer.begin();
        sentNanos = System.nanoTime();
    }

    /** Tells what became of it, once; on its own thread. */
    void tell(LockObserver observer, LockOutcome outcome) {
        observer.end(event, sentNanos, List.of(key), mode, strategy, wait, outcome);
    }

    /** Copies of its writes, for the thread of a leader to send. */
    List<Write<?>> copies() {
        copies.clear();
        for (Write<?> write : writes) {
            copies.add(copy(write));
        }
        return copies.stream().<Write<?>>map(Copied::sent).toList();
    }

    private <T> Copied<T> copy(Write<T> own) {
        RowMapper<T> mapper = own.mapper();
        return new Copied<>(own, own.copy(mapper == null ? null : row -> map(mapper, row)));
    }

    /** Has a mapper run by the thread that waits, as it is its own code, which may look at what belongs to its thread. */
    private <T> T map(RowMapper<T> mapper, ResultSet row) throws SQLException {
        FutureTask<T> task = new FutureTask<>(() -> mapper.map(row));
        mapping = task;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        long start = System.nanoTime();
        try {
            while (true) {
                try {
                    return task.get(MOST_MAPPING_NANOS - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SQLException sql
                    ? sql
                    : new SQLException(
                            "The row mapper of a write failed. The write is done all the same", e.getCause());
        } catch (TimeoutException e) {
            throw new SQLException(
                    "The row mapper of a write took more than 10 seconds, which is the most in a group, whose connection it"
                            + " keeps. The write is done all the same",
                    e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void whileTaken() {
        FutureTask<?> task = mapping;
        if (task != null) {
            mapping = null;
            task.run();
        }
    }

    /** The group has committed, as far as {@code unknown} does not say otherwise. */
    void decide(@Nullable CommitOutcomeUnknownException unknown) {
        copies.forEach(Copied::done);
        if (unknown != null) {
            CommitOutcomeUnknownException own = ofThis(unknown);
            for (Write<?> write : writes) {
                if (write.result() == null) {
                    write.done(WriteResult.untold(own));
                }
            }
            failure = own;
        }
    }

    /** Each has an exception of its own, as callers add to them. */
    private static CommitOutcomeUnknownException ofThis(CommitOutcomeUnknownException e) {
        String message = e.getMessage() + " It was in a group with others, whose leader sent it.";
        SQLException cause = e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getMessage(), e);
        return e instanceof CommitNotConfirmedException
                ? new CommitNotConfirmedException(message, cause)
                : new CommitOutcomeUnknownException(message, cause);
    }

    @Nullable
    CommitOutcomeUnknownException failure() {
        return failure;
    }
}
