package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** A step of a {@link Session}. The step can be waiting on the server. */
public final class Step<T> {
    private final Session session;
    private final Future<T> future;

    Step(Session session, Future<T> future) {
        this.session = session;
        this.future = future;
    }

    /**
     * Waits until pg_blocking_pids() shows that one of the other sessions blocks this step. Fails if the step ends
     * instead.
     */
    public Step<T> awaitBlockedBy(Session... others) {
        String pids =
                Arrays.stream(others).map(other -> String.valueOf(other.pid())).collect(Collectors.joining(","));
        TestDatabase.await(session + " is blocked by " + Arrays.toString(others))
                .failFast(session + " did not have to wait for " + Arrays.toString(others), this::isDone)
                .until(() -> session.administer(
                        "select 1 where pg_blocking_pids(" + session.pid() + ") && array[" + pids + "]"));
        return this;
    }

    public boolean isDone() {
        return future.isDone();
    }

    /** Waits for the end of the step, and returns its result or throws its exception. */
    public T get() throws Exception {
        try {
            return future.get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError(session + " did not end its step within " + TestDatabase.DEADLINE, e);
        }
    }

    /** Waits for the end of the step, and returns its exception. Fails if the step succeeds. */
    public Throwable failure() throws Exception {
        try {
            T value = get();
            throw new AssertionError(session + " was expected to fail but returned " + value);
        } catch (Exception e) {
            return e;
        }
    }

    /** Waits for the end of the step, and returns its SQLSTATE, or 00000 if the step succeeds. */
    public String state() throws Exception {
        try {
            get();
            return "00000";
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }

    /** Commits each when its step has ended, in whatever order the steps end. None of them may fail. */
    public static void commitAll(List<? extends Step<?>> steps) throws Exception {
        List<Step<?>> left = new ArrayList<>(steps);
        while (!left.isEmpty()) {
            TestDatabase.await().until(() -> left.stream().anyMatch(Step::isDone));
            for (Step<?> step : List.copyOf(left)) {
                if (step.isDone()) {
                    step.get();
                    step.session.commit();
                    left.remove(step);
                }
            }
        }
    }

    /** Checks that the server ends one of two steps because of a deadlock. Rolls back both transactions. */
    public static void assertDeadlock(Step<?> one, Step<?> other) throws Exception {
        List<String> states = new ArrayList<>();
        for (Step<?> step : List.of(one, other)) {
            states.add(step.state());
            step.session.rollback();
        }
        assertThat(states).containsExactlyInAnyOrder("00000", "40P01");
    }
}
