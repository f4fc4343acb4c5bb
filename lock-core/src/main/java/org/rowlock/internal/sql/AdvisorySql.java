package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.LockRequest;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.ScriptStatement.Binder;
import org.rowlock.internal.sql.ScriptStatement.Result;

/** The statement that takes advisory locks. It returns one row, a {@link Guard}. */
final class AdvisorySql {
    private AdvisorySql() {}

    /**
     * The lock statement.
     *
     * @param shape the form of the keys
     * @param tables their tables
     * @param known those of them whose ids are checked, with their id columns
     * @param mode exclusive or shared
     * @param wait whether it waits; a bounded wait needs {@link WaitSql#ARM} before
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param raising whether a refusal raises an error, as it must where statements follow in the same round trip
     * @param tableChecked whether a row lock behind it refuses what is no table, or not the role's to lock
     */
    static ScriptStatement lock(
            Shape shape,
            List<String> tables,
            List<RowTable> known,
            RowLockMode mode,
            WaitKind wait,
            boolean anyIsolation,
            boolean raising,
            boolean tableChecked) {
        if (shape.isSeveral()) {
            return several(shape, tables, known, mode, wait, anyIsolation, raising);
        }
        String attempt = attempt(mode, wait, KeySql.arguments(shape), raising);
        int marks = marks(shape, wait, raising);
        return new ScriptStatement(
                KeySql.holding(tables, known) + "select "
                        + GuardSql.guarded(anyIsolation, tableChecked ? Shape.NONE : shape, attempt, raising) + ", "
                        + GuardSql.isolation(anyIsolation) + KeySql.from(shape),
                (statement, at, values) -> {
                    LockKey key = values.request().advisory().keys().get(0);
                    int next = KeySql.bindArguments(statement, at, key);
                    return KeySql.bindFrom(statement, bindMarks(statement, next, marks), key);
                },
                Result.GUARD);
    }

    /**
     * The guard is asked once, in front of the keys. Without GROUP BY: to group, the server may sort, and then take the
     * locks in another order than that of the keys.
     */
    private static ScriptStatement several(
            Shape shape,
            List<String> tables,
            List<RowTable> known,
            RowLockMode mode,
            WaitKind wait,
            boolean anyIsolation,
            boolean raising) {
        String attempt = switch (shape) {
            case ROWS_INT -> attempt(mode, wait, KeySql.arguments(shape), raising);
            case MIXED ->
                "case when k.shared then " + attemptEither(RowLockMode.FOR_SHARE, wait, raising) + " else "
                        + attemptEither(RowLockMode.FOR_UPDATE, wait, raising) + " end";
            default -> attemptEither(mode, wait, raising);
        };
        int marks = marks(shape, wait, raising);
        Binder keys = binder(shape);
        String rearm = wait == WaitKind.AT_MOST ? " and " + WaitSql.REARM_EXPRESSION + " is not null" : "";
        String agreed = "g.agreed and t.refused is null";
        return new ScriptStatement(
                KeySql.holding(tables, known) + "select case when pg_catalog.bool_and(" + agreed
                        + ") then pg_catalog.count(case when " + agreed + rearm + " then " + attempt
                        + " end)::pg_catalog.text else "
                        + GuardSql.refusal(anyIsolation, "coalesce(pg_catalog.min(t.refused), '')", raising) + " end, "
                        + GuardSql.isolation(anyIsolation) + from(shape) + " cross join (select "
                        + GuardSql.agreed(anyIsolation) + " as agreed offset 0) as g",
                marks == 0
                        ? keys
                        : (statement, at, values) -> keys.bind(statement, bindMarks(statement, at, marks), values),
                Result.GUARD);
    }

    /** How many errors the statement can raise: a refusal, and for every call of a trying function that it is taken. */
    private static int marks(Shape shape, WaitKind wait, boolean raising) {
        int calls = switch (shape) {
            case MANY -> 2;
            case MIXED -> 4;
            default -> 1;
        };
        return !raising ? 0 : wait == WaitKind.NO_WAIT ? 1 + calls : 1;
    }

    private static int bindMarks(PreparedStatement statement, int at, int marks) throws SQLException {
        int next = at;
        for (int i = 0; i < marks; i++) {
            next = GuardSql.bindMark(statement, next);
        }
        return next;
    }

    private static String from(Shape several) {
        return switch (several) {
            case ROWS_INT -> KeySql.FROM_ROWS_INT;
            case MIXED -> KeySql.FROM_MIXED;
            default -> KeySql.FROM_MANY;
        };
    }

    private static Binder binder(Shape several) {
        return switch (several) {
            case ROWS_INT -> AdvisorySql::bindRowsInt;
            case MIXED -> AdvisorySql::bindMixed;
            default -> AdvisorySql::bindMany;
        };
    }

    private static int bindRowsInt(PreparedStatement statement, int at, ScriptValues values) throws SQLException {
        return KeySql.bindRowsInt(statement, at, values.request().advisory().keys());
    }

    private static int bindMany(PreparedStatement statement, int at, ScriptValues values) throws SQLException {
        return KeySql.bindMany(statement, at, values.request().advisory().keys());
    }

    private static int bindMixed(PreparedStatement statement, int at, ScriptValues values) throws SQLException {
        LockRequest request = values.request();
        return KeySql.bindMixed(statement, at, request.advisory(), request.mode());
    }

    /** A pair or a bigint. */
    private static String attemptEither(RowLockMode mode, WaitKind wait, boolean raising) {
        return "case when k.b is null then " + attempt(mode, wait, "k.c, k.o", raising) + " else "
                + attempt(mode, wait, "k.b", raising) + " end";
    }

    private static String attempt(RowLockMode mode, WaitKind wait, String arguments, boolean raising) {
        String shared = KeySql.functionSuffix(mode);
        if (wait != WaitKind.NO_WAIT) {
            return "pg_catalog.pg_advisory_xact_lock" + shared + '(' + arguments + ")::pg_catalog.text";
        }
        String attempt = "pg_catalog.pg_try_advisory_xact_lock" + shared + '(' + arguments + ')';
        return raising
                ? "case when " + attempt + " then 'true' else " + GuardSql.raiseTaken() + " end"
                : attempt + "::pg_catalog.text";
    }
}
