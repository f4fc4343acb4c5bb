package org.rowlock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes locks in front of a REPEATABLE READ or SERIALIZABLE transaction that has not begun.
 *
 * <p>There a lock statement would take the transaction's snapshot before it waits, and every later read would be stale.
 * So the wait happens for a session lock in a READ COMMITTED transaction of its own; then the caller's transaction
 * begins, and its first statement takes the transaction lock and lets go of the session lock. The hold passes from
 * session to transaction without a gap, the snapshot is younger than the lock, and commit releases it.
 *
 * <p>The transactions are chained ({@code COMMIT AND CHAIN}), so that the session is never idle in between: a pooler in
 * transaction mode keeps the server connection, and the characteristics of the caller's transaction carry over.
 */
final class Handover {
    private static final String KEYS =
            " from unnest(cast(? as int4[]), cast(? as int4[]), cast(? as int8[])) as k(c, o, b)";

    private static final String BEGIN_WAIT = "rollback and chain\n;set transaction isolation level read committed\n;";

    /** Only what this session really holds, so that the server has nothing to warn of. */
    private static final String UNLOCK_HELD = "rollback and chain\n;select case when k.b is null"
            + " then pg_advisory_unlock%1$s(k.c, k.o) else pg_advisory_unlock%1$s(k.b) end" + KEYS
            + " where exists (select 1 from pg_catalog.pg_locks as l where l.pid = pg_backend_pid()"
            + " and l.locktype = 'advisory' and l.granted and l.mode = '%2$s'"
            + " and l.classid = case when k.b is null then k.c::oid else (k.b >> 32 & 4294967295)::oid end"
            + " and l.objid = case when k.b is null then k.o::oid else (k.b & 4294967295)::oid end"
            + " and l.objsubid = case when k.b is null then 2 else 1 end)\n;rollback";

    private final LockScripts scripts;

    Handover(LockScripts scripts) {
        this.scripts = scripts;
    }

    /** Derived keys, in the order they are locked in: a pair where {@code number} is null. */
    private record DerivedKeys(
            List<@Nullable Integer> first, List<@Nullable Integer> second, List<@Nullable Long> number) {
        int bind(PreparedStatement statement, int at) throws SQLException {
            Connection connection = statement.getConnection();
            statement.setArray(at, connection.createArrayOf("int4", first.toArray()));
            statement.setArray(at + 1, connection.createArrayOf("int4", second.toArray()));
            statement.setArray(at + 2, connection.createArrayOf("int8", number.toArray()));
            return at + 3;
        }
    }

    /**
     * Takes the locks. The transaction has been begun by Rowlock alone, and nothing of the caller's is in it.
     *
     * @param isolation the level of the caller's transaction, as the server spells it
     */
    <T> ScriptResult<T> acquire(PgSession session, LockRequest request, @Nullable LockQuery<T> query, String isolation)
            throws SQLException {
        long start = System.nanoTime();
        try {
            DerivedKeys keys = derive(session, request);
            try {
                lockInSession(session, request, keys);
                passToTransaction(session, request, keys, isolation);
            } catch (Throwable e) {
                // Throwable, as an Error must not leave a session lock in the pool either.
                unlock(session, request, keys, e);
                throw e;
            }
            Guard held = Guard.held(isolation);
            if (request.rows().isEmpty() && query == null) {
                return new ScriptResult<>(held, List.of(), List.of());
            }
            LockRequest rest = request.rowLocksOnly(Waits.remaining(request.lockWait(), start));
            LockScript script = scripts.script(rest, true, query);
            ScriptResult<T> result = ScriptRunner.run(session, script, rest, query);
            return new ScriptResult<>(held, result.found(), result.rows());
        } catch (MappingException e) {
            throw e.failure();
        } catch (SQLException e) {
            rollback(session, request, e);
            boolean ours = SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                    && WaitKind.of(request.lockWait()) != WaitKind.FOREVER;
            if (ours) {
                throw LockErrors.notAvailable(request.asked(session.isHotStandby()), query != null, e);
            }
            LockException understood = query == null
                    ? LockErrors.translate(request.asked(session.isHotStandby()), e)
                    : LockErrors.understood(request.asked(session.isHotStandby()), e);
            if (understood != null) {
                throw understood;
            }
            throw e;
        } catch (RuntimeException | Error e) {
            rollback(session, request, e);
            throw e;
        }
    }

    private static DerivedKeys derive(PgSession session, LockRequest request) throws SQLException {
        String sql = BEGIN_WAIT + deriveSql(request);
        try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
            KeySql.bindMany(statement, 1, request.advisory().keys());
            return read(lastResult(statement, 2));
        }
    }

    private static String deriveSql(LockRequest request) {
        return KeySql.holding(request.advisory().tables()) + "select k.c, k.o, k.b" + KeySql.FROM_MANY;
    }

    private static DerivedKeys read(ResultSet result) throws SQLException {
        DerivedKeys keys = new DerivedKeys(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try (ResultSet row = result) {
            while (row.next()) {
                keys.first().add(row.getObject(1, Integer.class));
                keys.second().add(row.getObject(2, Integer.class));
                keys.number().add(row.getObject(3, Long.class));
            }
        }
        return keys;
    }

    private static void lockInSession(PgSession session, LockRequest request, DerivedKeys keys) throws SQLException {
        WaitKind wait = WaitKind.of(request.lockWait());
        boolean bounded = wait == WaitKind.AT_MOST;
        String function = (wait == WaitKind.NO_WAIT ? "pg_try_advisory_lock" : "pg_advisory_lock")
                + (request.mode().isShared() ? "_shared" : "");
        // The bound is a setting of this transaction and ends with it.
        String sql = (bounded ? WaitSql.ARM.sql() + "\n;" : "") + "select "
                + (bounded ? "case when " + WaitSql.REARM_EXPRESSION + " is not null then " : "")
                + "case when k.b is null then " + function + "(k.c, k.o)::text else " + function + "(k.b)::text end"
                + (bounded ? " end" : "") + KEYS;
        try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
            int at = bounded ? WaitSql.bindMillis(statement, 1, new ScriptValues(request, null)) : 1;
            keys.bind(statement, at);
            try (ResultSet row = lastResult(statement, bounded ? 1 : 0)) {
                while (row.next()) {
                    if ("false".equals(row.getString(1))) {
                        throw LockErrors.notAvailable(request.asked(session.isHotStandby()), false, null);
                    }
                }
            }
        }
    }

    /** The keys are derived once more at the end, since a table may have been replaced during the wait. */
    private static void passToTransaction(PgSession session, LockRequest request, DerivedKeys keys, String isolation)
            throws SQLException {
        String shared = request.mode().isShared() ? "_shared" : "";
        String sql = "commit and chain\n;set transaction isolation level " + isolation
                + "\n;select case when k.b is null"
                + " then pg_advisory_xact_lock" + shared + "(k.c, k.o) else pg_advisory_xact_lock" + shared
                + "(k.b) end, case when k.b is null then pg_advisory_unlock" + shared
                + "(k.c, k.o) else pg_advisory_unlock" + shared + "(k.b) end" + KEYS + "\n;" + deriveSql(request);
        try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
            KeySql.bindMany(
                    statement, keys.bind(statement, 1), request.advisory().keys());
            try (ResultSet row = lastResult(statement, 2)) {
                while (row.next()) {
                    if (!row.getBoolean(2)) {
                        throw new IllegalStateException("A session lock was gone before it was handed over to the"
                                + " transaction; is another thread using the connection?");
                    }
                }
            }
            statement.getMoreResults();
            if (!read(statement.getResultSet()).equals(keys)) {
                throw new LockTargetException(
                        "Cannot lock " + request.describe()
                                + ": the table was replaced by another during the wait. Nothing"
                                + " is locked; try again.",
                        null,
                        null);
            }
        }
    }

    /** Lets go of session locks, which no rollback does. If that fails the session must not go on, say back into a pool. */
    private static void unlock(PgSession session, LockRequest request, DerivedKeys keys, Throwable cause) {
        boolean shared = request.mode().isShared();
        String sql = String.format(UNLOCK_HELD, shared ? "_shared" : "", shared ? "ShareLock" : "ExclusiveLock");
        try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
            keys.bind(statement, 1);
            statement.execute();
        } catch (SQLException | RuntimeException e) {
            cause.addSuppressed(e);
            try {
                session.kill();
            } catch (SQLException notKilled) {
                cause.addSuppressed(notKilled);
            }
        }
    }

    /** Executes, passes over the results of the statements in front, and gives the one that counts. */
    private static ResultSet lastResult(PreparedStatement statement, int passedOver) throws SQLException {
        statement.execute();
        for (int i = 0; i < passedOver; i++) {
            statement.getMoreResults();
        }
        return statement.getResultSet();
    }

    /** Back to where the caller was: a transaction that has not begun. */
    private static void rollback(PgSession session, LockRequest request, Throwable cause) {
        if (cause instanceof SQLException e && SqlState.isConnectionLost(e.getSQLState())) {
            return;
        }
        try {
            if (session.hasBegun() || session.isClosed()) {
                session.execute("rollback");
            }
        } catch (SQLException e) {
            throw LockErrors.notUndone(request.asked(session.isHotStandby()), e, cause);
        }
    }
}
