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
import org.rowlock.internal.text.Given;

/**
 * Reports the holders and waiters of advisory locks in the connection's database: table, id, since when, and what
 * blocks each waiter. Reads pg_locks and pg_stat_activity, takes no lock, changes nothing, and works in any transaction
 * and in autocommit. Without the privileges of pg_read_all_stats, queries and times of other roles are empty.
 */
public final class LockInspector {
    private static final String SELECT = """
            select l.classid::int8 as classid, l.objid::int8 as objid, l.objsubid, l.mode, l.granted, l.pid,
                   case when l.objsubid = 2 then (select c.oid::regclass::text from pg_catalog.pg_class as c
                     where c.oid = l.classid and c.relkind in ('r', 'p')) end as table_name,
                   a.usename, a.application_name, a.client_addr::text as client, a.state,
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
     * The condition for one key. It compares both halves and the kind, because keys of other tables may have the same
     * objid.
     */
    private static final String OF_KEY = " and exists (select 1" + KeySql.FROM_MANY + " where " + KeySql.IS_LOCK + ")";

    private final Connection connection;

    /**
     * Creates an inspector of a database.
     *
     * @param connection any connection to the database; it is used by each call, and not closed
     */
    public LockInspector(Connection connection) {
        this.connection = Given.notNull(connection, "The connection is null");
    }

    /**
     * Returns the holders and waiters of all advisory locks of the database, of Rowlock and of other programs. It
     * leaves out internal locks of extensions such as Citus. In a database of several machines it returns only those of
     * the connection's machine; the view {@code citus_lock_waits} shows the others.
     *
     * @return a line per lock and session; the lines of one key are together, first its holders and then its waiters in
     *     their order
     * @throws SQLException if the views cannot be read
     */
    public List<Line> all() throws SQLException {
        return read(List.of());
    }

    /**
     * Returns the holders and waiters of one key. This also works for keys that {@link #all} shows only as a number,
     * such as those of UUIDs.
     *
     * @param key the key
     * @return a line per session; holders first, waiters in their order; empty if the key is free
     * @throws SQLException if the views cannot be read, or the key's table does not exist
     */
    public List<Line> of(LockKey key) throws SQLException {
        return read(List.of(Given.notNull(key, "The key is null; all() gives every lock")));
    }

    private List<Line> read(List<LockKey> key) throws SQLException {
        List<Line> lines = new ArrayList<>();
        String sql = SELECT + (key.isEmpty() ? "" : OF_KEY) + ORDER;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (!key.isEmpty()) {
                KeySql.bindMany(statement, 1, key, LockRequest.forUpdate(key));
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    lines.add(Line.read(row));
                }
            }
        }
        return lines;
    }

    /**
     * A session that holds a lock or waits for it.
     *
     * @param table the table; empty for a raw pair, and for a bigint key, which does not show it (an id that is no
     *     int4; a name; a raw number)
     * @param id the id within the table; empty where the table is
     * @param first the lock's classid: of a pair the first number, of a bigint the high half
     * @param second the lock's objid: of a pair the second number, of a bigint the low half
     * @param isPair whether the key is a pair of numbers, and not one bigint
     * @param isShared whether the lock is shared
     * @param isGranted whether it is held, and not waited for
     * @param pid the server process of the session
     * @param user its role; empty if it may not be seen
     * @param application its application_name; empty if it has none
     * @param client its address; empty for a local socket
     * @param state what pg_stat_activity says it does, such as {@code idle in transaction}
     * @param query its current or last statement
     * @param transactionAge since its transaction began; the server does not record when a lock was granted, so this is
     *     the most it can be held for. Empty outside a transaction
     * @param waitingFor since it began to wait; empty if it is not waiting
     * @param blockedBy the server processes it waits for
     */
    public record Line(
            Optional<String> table,
            Optional<String> id,
            long first,
            long second,
            boolean isPair,
            boolean isShared,
            boolean isGranted,
            int pid,
            Optional<String> user,
            Optional<String> application,
            Optional<String> client,
            Optional<String> state,
            Optional<String> query,
            Optional<Duration> transactionAge,
            Optional<Duration> waitingFor,
            List<Integer> blockedBy) {

        private static Line read(ResultSet row) throws SQLException {
            Optional<String> table = text(row, "table_name");
            long objid = row.getLong("objid");
            return new Line(
                    table,
                    // The second number of a pair is an int4, which pg_locks shows as an unsigned oid.
                    table.map(name -> Integer.toString((int) objid)),
                    row.getLong("classid"),
                    objid,
                    row.getInt("objsubid") == 2,
                    row.getString("mode").equals("ShareLock"),
                    row.getBoolean("granted"),
                    row.getInt("pid"),
                    text(row, "usename"),
                    text(row, "application_name"),
                    text(row, "client"),
                    text(row, "state"),
                    text(row, "query"),
                    micros(row, "transaction_micros"),
                    micros(row, "wait_micros"),
                    pids(row.getArray("blocked_by")));
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
