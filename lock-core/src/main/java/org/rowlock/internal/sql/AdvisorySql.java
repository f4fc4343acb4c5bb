package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.internal.request.ResolvedRequest.Shape;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.sql.Part.Binder;

/**
 * The statement that acquires advisory locks, and returns a row for each key. The words "mark" and "raising" are
 * explained in {@link LockCheckSql}.
 */
final class AdvisorySql {
    private AdvisorySql() {}

    /**
     * Returns the lock statement. Lock functions are called in the select list, because the planner could remove a call
     * in an aggregate, subquery or condition. If the wait has a limit, an earlier statement must have stored the
     * deadline, as {@link WaitSql#ARM} does.
     *
     * @param holding the WITH clause that locks the tables against DDL; empty if earlier statements lock them
     */
    static Part lock(FlushForms of, String holding) {
        Shape shape = of.shape;
        boolean raising = of.isRaising();
        boolean trying = of.wait == WaitKind.NO_WAIT;
        String function = "pg_catalog.pg_" + (trying ? "try_" : "") + "advisory_xact_lock";
        String call = shape == Shape.MANY
                ? KeySql.call(function)
                : function + KeySql.functionSuffix(of.asked.mode()) + '(' + KeySql.arguments(shape) + ')';
        String attempt = trying && raising
                ? "case when " + call + " then 'true' else " + LockCheckSql.raiseTaken() + " end"
                : '(' + call + ")::pg_catalog.text";
        // The caller limits the whole wait, and the wait for the table may have taken a part of it.
        String lock = of.wait == WaitKind.AT_MOST
                ? "case when " + WaitSql.REARM_EXPRESSION + " is not null then " + attempt + " end"
                : attempt;
        // The statement has one parameter for each error that it can raise: another transaction holds the lock, or the
        // check refuses the lock.
        int marks = (trying && raising ? 1 : 0) + (raising ? 1 : 0);
        String agreed = LockCheckSql.agreed(of.anyIsolation);
        if (shape.isSeveral()) {
            boolean ints = shape == Shape.ROWS_INT;
            // The server evaluates the check and looks up the tables once, before it locks the keys.
            String from = (ints ? KeySql.FROM_ROWS_INT : KeySql.FROM_MANY) + " cross join (select " + agreed
                    + " as agreed, " + LockCheckSql.isolation(of.anyIsolation) + " as isolation offset 0) as g";
            return part(
                    of,
                    holding,
                    "g.agreed and t.refused is null",
                    lock,
                    "t.refused",
                    "g.isolation" + from,
                    (statement, at, request) -> {
                        int next = bindMarks(statement, at, marks);
                        List<LockKey> keys = request.advisory();
                        return ints
                                ? KeySql.bindInts(statement, KeySql.bindFrom(statement, next, keys.get(0)), keys)
                                : KeySql.bindMany(statement, next, keys, request.request());
                    });
        }
        String from = KeySql.from(shape);
        boolean checked = !from.isEmpty() && !of.isTableChecked();
        return part(
                of,
                holding,
                checked ? agreed + " and " + KeySql.IS_TABLE : agreed,
                lock,
                checked ? KeySql.WHY_NOT_TABLE : "null",
                LockCheckSql.isolation(of.anyIsolation) + from,
                (statement, at, request) -> {
                    LockKey key = request.advisory().get(0);
                    int next = KeySql.bindArguments(statement, at, key);
                    return KeySql.bindFrom(statement, bindMarks(statement, next, marks), key);
                });
    }

    private static Part part(
            FlushForms of, String holding, String agreed, String lock, String wrong, String isolation, Binder binder) {
        String refusal = LockCheckSql.refusal(wrong, of.isRaising());
        return new Part(
                holding + "select case when " + agreed + " then " + lock + " else " + refusal + " end, " + isolation,
                binder,
                Answers::check);
    }

    private static int bindMarks(PreparedStatement statement, int at, int marks) throws SQLException {
        for (int i = 0; i < marks; i++) {
            statement.setString(at + i, LockCheckSql.mark());
        }
        return at + marks;
    }
}
