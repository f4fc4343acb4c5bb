package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.Part.Result;

/** The statement that takes advisory locks. It returns one row, a {@link Guard}. */
final class AdvisorySql {
    private AdvisorySql() {}

    /**
     * The lock statement. A bounded wait needs {@link WaitSql#ARM} before.
     *
     * @param holding what holds the tables: a WITH clause, or nothing where statements in front of it do
     */
    static Part lock(LockPlan plan, String holding) {
        return switch (plan.shape()) {
            case ROWS_INT -> rowsInt(plan, holding);
            case MANY -> several(plan, holding);
            default -> one(plan, holding);
        };
    }

    private static Part one(LockPlan plan, String holding) {
        Shape shape = plan.shape();
        String attempt = attempt(plan, call(plan));
        if (plan.waitKind() == WaitKind.AT_MOST) {
            attempt = rearmed(attempt);
        }
        int marks = marks(plan);
        return new Part(
                holding + "select "
                        + GuardSql.guarded(
                                plan.anyIsolation(),
                                plan.isTableChecked() ? Shape.NONE : shape,
                                attempt,
                                plan.isRaising())
                        + ", " + GuardSql.isolation(plan.anyIsolation()) + KeySql.from(shape),
                (statement, at, request) -> {
                    LockKey key = request.advisory().keys().get(0);
                    int next = KeySql.bindArguments(statement, at, key);
                    return KeySql.bindFrom(statement, bindMarks(statement, next, marks), key);
                },
                Result.GUARD);
    }

    /** So that the waits for the table and for the keys together stay within the bound. */
    private static String rearmed(String attempt) {
        return "case when " + WaitSql.REARM_EXPRESSION + " is not null then " + attempt + " end";
    }

    /**
     * Of one table the guard and the table are looked at once, and the keys come in a query of their own behind them,
     * which joins nothing.
     */
    private static Part rowsInt(LockPlan plan, String holding) {
        boolean trying = plan.waitKind() == WaitKind.NO_WAIT;
        // To look whether a void is null is cheaper than to print it.
        String attempt = trying ? attempt(plan, call(plan)) : call(plan) + " is null";
        if (plan.waitKind() == WaitKind.AT_MOST) {
            attempt = rearmed(attempt);
        }
        return new Part(
                holding + "select case when " + GuardSql.agreed(plan.anyIsolation())
                        + " and t.refused is null then (select pg_catalog.count(" + attempt + ")::pg_catalog.text"
                        + KeySql.FROM_INTS + ") else "
                        + GuardSql.refusal(plan.anyIsolation(), "coalesce(t.refused, '')", plan.isRaising())
                        + " end, " + GuardSql.isolation(plan.anyIsolation()) + KeySql.FROM_ROWS_INT,
                (statement, at, request) -> {
                    List<LockKey> keys = request.advisory().keys();
                    int next = bindMarks(statement, at, trying ? 1 : 0);
                    next = KeySql.bindInts(statement, next, keys);
                    next = bindMarks(statement, next, plan.isRaising() ? 1 : 0);
                    return KeySql.bindFrom(statement, next, keys.get(0));
                },
                Result.GUARD);
    }

    /**
     * The guard is asked once, in front of the keys. Without GROUP BY: to group, the server may sort, and then take the
     * locks in another order than that of the keys.
     */
    private static Part several(LockPlan plan, String holding) {
        boolean anyIsolation = plan.anyIsolation();
        String attempt = attempt(plan, KeySql.call(function(plan)));
        int marks = marks(plan);
        String rearm = plan.waitKind() == WaitKind.AT_MOST ? " and " + WaitSql.REARM_EXPRESSION + " is not null" : "";
        String agreed = "g.agreed and t.refused is null";
        return new Part(
                holding + "select case when pg_catalog.bool_and(" + agreed
                        + ") then pg_catalog.count(case when " + agreed + rearm + " then " + attempt
                        + " end)::pg_catalog.text else "
                        + GuardSql.refusal(anyIsolation, "coalesce(pg_catalog.min(t.refused), '')", plan.isRaising())
                        + " end, "
                        + GuardSql.isolation(anyIsolation) + KeySql.FROM_MANY
                        + " cross join (select "
                        + GuardSql.agreed(anyIsolation) + " as agreed offset 0) as g",
                (statement, at, request) ->
                        KeySql.bindMany(statement, bindMarks(statement, at, marks), request.advisory(), request.mode()),
                Result.GUARD);
    }

    /** How many errors the statement can raise: a refusal, and of a trying function that the lock is taken. */
    private static int marks(LockPlan plan) {
        return !plan.isRaising() ? 0 : plan.waitKind() == WaitKind.NO_WAIT ? 2 : 1;
    }

    private static int bindMarks(PreparedStatement statement, int at, int marks) throws SQLException {
        for (int i = 0; i < marks; i++) {
            statement.setString(at + i, GuardSql.mark());
        }
        return at + marks;
    }

    private static String attempt(LockPlan plan, String call) {
        return plan.waitKind() == WaitKind.NO_WAIT && plan.isRaising()
                ? "case when " + call + " then 'true' else " + GuardSql.raiseTaken() + " end"
                : '(' + call + ")::pg_catalog.text";
    }

    private static String call(LockPlan plan) {
        return function(plan) + KeySql.functionSuffix(plan.mode()) + '(' + KeySql.arguments(plan.shape()) + ')';
    }

    private static String function(LockPlan plan) {
        return plan.waitKind() == WaitKind.NO_WAIT
                ? "pg_catalog.pg_try_advisory_xact_lock"
                : "pg_catalog.pg_advisory_xact_lock";
    }
}
