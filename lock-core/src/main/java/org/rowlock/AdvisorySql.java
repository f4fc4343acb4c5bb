package org.rowlock;

import org.rowlock.AdvisoryKeys.Shape;
import org.rowlock.ScriptStatement.Result;

/**
 * The statement that takes advisory locks. It returns one row, a {@link Guard}: isolation, read-only, kind of table,
 * lock.
 */
final class AdvisorySql {
    private AdvisorySql() {}

    /**
     * The lock statement.
     *
     * @param shape the form of the keys
     * @param mode exclusive or shared
     * @param wait whether it waits; a bounded wait of several keys needs {@link WaitSql#ARM} before
     * @param anyIsolation whether the guard lets REPEATABLE READ and SERIALIZABLE pass
     * @param raising whether a refusal raises an error, as it must where statements follow in the same round trip
     * @param bounded whether the statement sets and restores lock_timeout itself, for one key alone
     */
    static ScriptStatement lock(
            Shape shape, RowLockMode mode, WaitKind wait, boolean anyIsolation, boolean raising, boolean bounded) {
        if (shape == Shape.MANY) {
            return many(mode, wait, anyIsolation, raising);
        }
        boolean table = KeySql.hasTable(shape);
        String kind = table ? KeySql.KIND : "cast(null as text)";
        String condition = GuardSql.condition(anyIsolation, table ? KeySql.IS_TABLE : "");
        String locked = guarded(condition, attempt(mode, wait, KeySql.arguments(shape), raising), kind, raising);
        String columns = "select " + GuardSql.ISOLATION + " as isolation, " + GuardSql.READ_ONLY + " as read_only, "
                + kind + " as kind, ";
        if (!bounded) {
            return new ScriptStatement(
                    columns + locked + KeySql.from(shape),
                    (statement, at, values) -> {
                        LockKey key = values.request().advisory().keys().get(0);
                        return KeySql.bindFrom(statement, KeySql.bindArguments(statement, at, key), key);
                    },
                    Result.GUARD);
        }
        // The select list is evaluated in order: keep the old bound, set ours, lock, and outside put the old one back.
        String sql = "select q.isolation, q.read_only, q.kind, q.locked, set_config('lock_timeout', q.previous, true)"
                + " from (" + columns + "current_setting('lock_timeout') as previous,"
                + " set_config('lock_timeout', ?, true) as armed, " + locked + " as locked" + KeySql.from(shape)
                + (table ? "" : " ") + " offset 0) as q";
        return new ScriptStatement(
                sql,
                (statement, at, values) -> {
                    LockKey key = values.request().advisory().keys().get(0);
                    int next = WaitSql.bindMillis(statement, at, values);
                    return KeySql.bindFrom(statement, KeySql.bindArguments(statement, next, key), key);
                },
                Result.GUARD);
    }

    private static ScriptStatement many(RowLockMode mode, WaitKind wait, boolean anyIsolation, boolean raising) {
        String attempt = "case when k.b is null then " + attempt(mode, wait, "k.c, k.o", raising) + " else "
                + attempt(mode, wait, "k.b", raising) + " end";
        String condition = GuardSql.condition(anyIsolation, "t.refused is null")
                + (wait == WaitKind.AT_MOST ? " and " + WaitSql.REARM_EXPRESSION + " is not null" : "");
        // count() is null-free, so an untried lock is told by an empty text instead of a number.
        String sql = "select " + GuardSql.ISOLATION + ", " + GuardSql.READ_ONLY + ", max(t.refused), nullif(count("
                + guarded(condition, attempt, "t.refused", raising) + "), 0)::text" + KeySql.FROM_MANY;
        return new ScriptStatement(
                sql,
                (statement, at, values) -> KeySql.bindMany(
                        statement, at, values.request().advisory().keys()),
                Result.GUARD);
    }

    private static String guarded(String condition, String attempt, String kind, boolean raising) {
        return "case when " + condition + " then " + attempt + (raising ? " else " + GuardSql.raiseRefused(kind) : "")
                + " end";
    }

    private static String attempt(RowLockMode mode, WaitKind wait, String arguments, boolean raising) {
        String shared = mode.isShared() ? "_shared" : "";
        if (wait != WaitKind.NO_WAIT) {
            return "pg_advisory_xact_lock" + shared + '(' + arguments + ")::text";
        }
        String attempt = "pg_try_advisory_xact_lock" + shared + '(' + arguments + ')';
        return raising
                ? "case when " + attempt + " then 'true' else " + GuardSql.raiseTaken() + " end"
                : attempt + "::text";
    }
}
