package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.Part.Binder;

/** The statement that takes advisory locks. It returns one row, a {@link Guard}. */
final class AdvisorySql {
    private AdvisorySql() {}

    /**
     * The lock statement. A bounded wait needs {@link WaitSql#ARM} before.
     *
     * @param holding what holds the tables: a WITH clause, or nothing where statements in front of it do
     */
    static Part lock(FlushForms of, String holding) {
        Shape shape = of.shape;
        boolean raising = of.isRaising();
        boolean trying = of.wait == WaitKind.NO_WAIT;
        String agreed = GuardSql.agreed(of.anyIsolation);
        String function = "pg_catalog.pg_" + (trying ? "try_" : "") + "advisory_xact_lock";
        String call = shape == Shape.MANY
                ? KeySql.call(function)
                : function + KeySql.functionSuffix(of.asked.mode()) + '(' + KeySql.arguments(shape) + ')';
        String attempt = trying && raising
                ? "case when " + call + " then 'true' else " + GuardSql.raiseTaken() + " end"
                : '(' + call + ")::pg_catalog.text";
        // So that the waits for the table and for the keys together stay within the bound.
        String rearmed = of.wait == WaitKind.AT_MOST ? WaitSql.REARM_EXPRESSION + " is not null" : "";
        // The errors it can raise: that the lock is taken, and a refusal.
        int ofTry = trying && raising ? 1 : 0;
        int ofRefusal = raising ? 1 : 0;
        return switch (shape) {
            case ROWS_INT -> {
                // To look whether a void is null is cheaper than to print it.
                String each = trying ? attempt : call + " is null";
                // Of one table the guard and the table are looked at once, and the keys come in a query of their own
                // behind them, which joins nothing.
                yield part(
                        of,
                        holding,
                        agreed + " and t.refused is null",
                        "(select pg_catalog.count(" + when(rearmed, each) + ")::pg_catalog.text" + KeySql.FROM_INTS
                                + ')',
                        "coalesce(t.refused, '')",
                        KeySql.FROM_ROWS_INT,
                        (statement, at, request) -> {
                            List<LockKey> keys = request.advisory().keys();
                            int next = KeySql.bindInts(statement, bindMarks(statement, at, ofTry), keys);
                            next = bindMarks(statement, next, ofRefusal);
                            return KeySql.bindFrom(statement, next, keys.get(0));
                        });
            }
            case MANY -> {
                // The guard is asked once, in front of the keys. Without GROUP BY: to group, the server may sort, and
                // then take the locks in another order than that of the keys.
                String agreedOnce = "g.agreed and t.refused is null";
                yield part(
                        of,
                        holding,
                        "pg_catalog.bool_and(" + agreedOnce + ")",
                        "pg_catalog.count("
                                + when(rearmed.isEmpty() ? agreedOnce : agreedOnce + " and " + rearmed, attempt)
                                + ")::pg_catalog.text",
                        "coalesce(pg_catalog.min(t.refused), '')",
                        KeySql.FROM_MANY + " cross join (select " + agreed + " as agreed offset 0) as g",
                        (statement, at, request) -> KeySql.bindMany(
                                statement,
                                bindMarks(statement, at, ofTry + ofRefusal),
                                request.advisory().keys(),
                                request.request()));
            }
            default -> {
                String from = KeySql.from(shape);
                boolean checked = !from.isEmpty() && !of.isTableChecked();
                yield part(
                        of,
                        holding,
                        checked ? agreed + " and " + KeySql.IS_TABLE : agreed,
                        when(rearmed, attempt),
                        checked ? KeySql.WHY_NOT_TABLE : "''",
                        from,
                        (statement, at, request) -> {
                            LockKey key = request.advisory().keys().get(0);
                            int next = KeySql.bindArguments(statement, at, key);
                            return KeySql.bindFrom(statement, bindMarks(statement, next, ofTry + ofRefusal), key);
                        });
            }
        };
    }

    private static String when(String condition, String then) {
        return condition.isEmpty() ? then : "case when " + condition + " then " + then + " end";
    }

    private static Part part(
            FlushForms of, String holding, String agreed, String lock, String wrong, String from, Binder binder) {
        String refusal = GuardSql.refusal(of.anyIsolation, wrong, of.isRaising());
        return new Part(
                holding + "select case when " + agreed + " then " + lock + " else " + refusal + " end, "
                        + GuardSql.isolation(of.anyIsolation) + from,
                binder,
                Answers::guard);
    }

    private static int bindMarks(PreparedStatement statement, int at, int marks) throws SQLException {
        for (int i = 0; i < marks; i++) {
            statement.setString(at + i, GuardSql.mark());
        }
        return at + marks;
    }
}
