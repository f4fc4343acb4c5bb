package org.rowlock.internal.verify;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.acquire.LockCall;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.ClaimSql;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.value.LockWait;

/**
 * In one transaction, acquires locks with each kind of statement that calls a lock function. Then counts the locks at
 * the server. The count detects a missing lock: the planner of an unknown server version may remove the call of a lock
 * function. The keys are random, so no other transaction uses these keys.
 */
final class LockForms {
    private static final String HELD = "select count(*) from pg_catalog.pg_locks where pid ="
            + " pg_catalog.pg_backend_pid() and locktype = 'advisory' and granted and mode in ('ExclusiveLock',"
            + " 'ShareLock')";

    /** The limit for the statements with a limited wait. No statement actually waits. */
    private static final LockWait BOUNDED = LockWait.atMost(Duration.ofMinutes(1));

    private final LockCalls calls;
    private final Probe probe;
    private int asked;

    private LockForms(LockCalls calls, Probe probe) {
        this.calls = calls;
        this.probe = probe;
    }

    /** @param table a table for keys of rows; null if no table is known */
    static void verify(LockCalls calls, Probe probe, @Nullable String table) throws SQLException {
        LockForms forms = new LockForms(calls, probe);
        try {
            PgSession.of(probe.connection).execute("set transaction isolation level read committed");
            int before = forms.held();
            forms.front();
            forms.claim(table == null ? "pg_catalog.pg_class" : table);
            for (LockWait wait : List.of(LockWait.FOREVER, LockWait.NO_WAIT, BOUNDED)) {
                forms.take(List.of(LockKey.number(random())), wait);
                forms.take(List.of(LockKey.name("rowlock-verify " + random()), LockKey.pair((int) random(), 1)), wait);
                if (table != null) {
                    forms.take(LockKey.rows(table, ints()), wait);
                }
            }
            int held = forms.held() - before;
            if (held != forms.asked) {
                throw Verdicts.wrong("The server has locked " + held + " of " + forms.asked
                        + " advisory keys and reported no error, by " + probe.product()
                        + ". The other keys exclude no transaction. Use strategy ROW, and report this fault with the"
                        + " version of the server.");
            }
        } finally {
            probe.connection.rollback();
        }
    }

    private int held() throws SQLException {
        return Integer.parseInt(probe.session.ask(HELD));
    }

    private void take(List<LockKey> keys, LockWait wait) throws SQLException {
        LockCall call = probe.call(calls, keys, wait);
        call.held(call.attempt(null), null);
        asked += keys.size();
    }

    /** Acquires a front lock, without the row lock. */
    private void front() throws SQLException {
        try (PreparedStatement statement = probe.session.prepare(FrontSql.look("select") + ';' + FrontSql.SQL)) {
            FrontSql.bind(statement, 1, random(), Integer.MAX_VALUE, 1);
            statement.execute();
            asked++;
        }
    }

    /** Acquires two keys with the statement of a claim: the key of a numeric id, and the key of a text id. */
    private void claim(String table) throws SQLException {
        List<List<String>> ids = List.of(List.of("" + (int) random()), List.of("rowlock-verify " + random()));
        try (PreparedStatement statement = probe.session.prepare(ClaimSql.take())) {
            ClaimSql.bindTake(statement, 1, table, ids);
            statement.execute();
            asked += ids.size();
        }
    }

    private static long random() {
        return ThreadLocalRandom.current().nextLong();
    }

    private static List<Integer> ints() {
        return ThreadLocalRandom.current().ints(2).boxed().toList();
    }
}
