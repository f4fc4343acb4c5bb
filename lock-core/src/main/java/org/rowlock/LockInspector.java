package org.rowlock;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.sql.KeySql;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.value.RequestParts;

/**
 * Reports the sessions that hold advisory locks in the connection's database, or wait for them. Each {@link Line}
 * describes one lock of one session. The inspector reads pg_locks and pg_stat_activity. The inspector acquires no
 * advisory lock and no row lock, and changes nothing. The inspector works in autocommit and in every transaction that
 * is not aborted. Without the privileges of pg_read_all_stats, the state, query and transaction age of other roles'
 * sessions are empty. Not thread-safe.
 */
public final class LockInspector {
    private static final String SELECT = """
            select l.classid::int8 as classid, l.objid::int8 as objid, l.objsubid, l.mode, l.granted, l.pid,
                   case when l.objsubid = 2 then (select c.oid::regclass::text from pg_catalog.pg_class as c
                     where c.oid = l.classid and c.relkind in ('r', 'p')) end as table_name,
                   a.application_name, a.state,
                   nullif(a.query, '<insufficient privilege>') as query,
                   (extract(epoch from clock_timestamp() - a.xact_start) * 1000000)::int8 as transaction_micros,
                   (extract(epoch from clock_timestamp() - l.waitstart) * 1000000)::int8 as wait_micros,
                   case when l.granted then null else pg_blocking_pids(l.pid) end as blocked_by
            from pg_catalog.pg_locks as l
            left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where l.locktype = 'advisory' and l.objsubid in (1, 2)
              and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
            """;

    private static final String ORDER = " order by l.classid, l.objid, l.objsubid, l.granted desc, l.waitstart, l.pid";

    /**
     * The condition for the locks of one key. The condition compares classid, objid and objsubid, because keys of other
     * tables may have the same objid.
     */
    private static final String OF_KEY = " and exists (select 1" + KeySql.FROM_MANY + " where " + KeySql.IS_LOCK + ")";

    private final Connection connection;

    /**
     * Creates an inspector of a database.
     *
     * @param connection any connection to the database; the inspector never closes the connection
     */
    public LockInspector(Connection connection) {
        this.connection = Arguments.notNull(connection, "The connection is null");
    }

    /**
     * Returns the holders and waiters of all advisory locks in the database, including the locks of other programs.
     * Internal locks of extensions such as Citus are left out. In a database of several machines, only the locks on the
     * connection's machine are returned. On Citus, the view {@code citus_lock_waits} shows waits on all machines.
     *
     * @return a line for each lock of each session; the lines of one key are adjacent: first the holders, then the
     *     waiters in the order in which they began to wait
     * @throws SQLException if the views cannot be read
     */
    public List<Line> all() throws SQLException {
        return read(List.of());
    }

    /**
     * Returns the holders and waiters of one key. This method also works for keys that {@link #all} shows only as a
     * number, such as rows whose ids are UUIDs.
     *
     * @param key the key
     * @return a line for each lock of each session: first the holders, then the waiters in the order in which they
     *     began to wait; empty if the key is free
     * @throws SQLException if the views cannot be read, or the key's table does not exist
     */
    public List<Line> of(LockKey key) throws SQLException {
        return read(List.of(Arguments.notNull(key, "The key is null; all() returns every lock")));
    }

    private List<Line> read(List<LockKey> key) throws SQLException {
        List<Line> lines = new ArrayList<>();
        String sql = SELECT + (key.isEmpty() ? "" : OF_KEY) + ORDER;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (!key.isEmpty()) {
                KeySql.bindMany(statement, 1, key, RequestParts.of(RowLockMode.FOR_UPDATE, key));
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    lines.add(Seen.read(row));
                }
            }
        }
        return lines;
    }

    /** A lock that a session holds or waits for. */
    public sealed interface Line permits Seen {
        /**
         * {@return the key} The key is a {@link LockKey.Row} if pg_locks shows the table and the id. For other ids, and
         * for names, pg_locks shows only a number.
         */
        LockKey key();

        /** {@return whether the lock is shared} */
        boolean isShared();

        /** {@return true if the session holds the lock, false if the session waits for the lock} */
        boolean isGranted();

        /** {@return the process id of the session at the server} */
        int pid();

        /** {@return the session's application_name; empty if the session has none} */
        Optional<String> application();

        /** {@return the session's state in pg_stat_activity, such as {@code idle in transaction}} */
        Optional<String> state();

        /** {@return the session's current or last statement} */
        Optional<String> query();

        /**
         * {@return the time since the session's transaction began; empty outside a transaction} The server does not
         * record when it granted a lock. A transaction-level lock is never older than its transaction. A session-level
         * lock of another program can be older.
         */
        Optional<Duration> transactionAge();

        /** {@return the time since the session began to wait; empty if the session is not waiting} */
        Optional<Duration> waitingFor();

        /** {@return the process ids of the sessions that block this session; empty if this session holds the lock} */
        List<Integer> blockedBy();
    }

    private record Seen(
            LockKey key,
            boolean isShared,
            boolean isGranted,
            int pid,
            Optional<String> application,
            Optional<String> state,
            Optional<String> query,
            Optional<Duration> transactionAge,
            Optional<Duration> waitingFor,
            List<Integer> blockedBy)
            implements Line {

        static Line read(ResultSet row) throws SQLException {
            return new Seen(
                    key(row),
                    row.getString("mode").equals("ShareLock"),
                    row.getBoolean("granted"),
                    row.getInt("pid"),
                    text(row, "application_name"),
                    text(row, "state"),
                    text(row, "query"),
                    micros(row, "transaction_micros"),
                    micros(row, "wait_micros"),
                    pids(row.getArray("blocked_by")));
        }

        private static LockKey key(ResultSet row) throws SQLException {
            long classid = row.getLong("classid");
            long objid = row.getLong("objid");
            if (row.getInt("objsubid") != 2) {
                return LockKey.number(classid << Integer.SIZE | objid);
            }
            // The two numbers of a pair are int4, but pg_locks shows them as unsigned oids.
            int second = (int) objid;
            String table = row.getString("table_name");
            return table == null ? LockKey.pair((int) classid, second) : LockKey.row(table, second);
        }

        private static Optional<String> text(ResultSet row, String column) throws SQLException {
            return Optional.ofNullable(row.getString(column)).filter(text -> !text.isEmpty());
        }

        private static Optional<Duration> micros(ResultSet row, String column) throws SQLException {
            long micros = row.getLong(column);
            return row.wasNull() ? Optional.empty() : Optional.of(Duration.ofNanos(micros * 1_000));
        }

        private static List<Integer> pids(@Nullable Array array) throws SQLException {
            return array == null
                    ? List.of()
                    : Arrays.stream((Integer[]) array.getArray()).distinct().toList();
        }
    }
}
