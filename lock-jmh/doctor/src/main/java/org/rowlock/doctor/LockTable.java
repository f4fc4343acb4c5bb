package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.RowWait.Holder;
import org.rowlock.doctor.RowWait.HolderState;
import org.rowlock.doctor.RowWait.Row;

/**
 * What pg_locks holds at one moment. Every role sees all of it; the statements only with pg_read_all_stats.
 *
 * @param entries locks in the shared lock table, without those of fast path and predicate locks, which are kept elsewhere
 * @param waits sessions that wait for rows
 */
record LockTable(int entries, List<RowWait> waits) {
    /**
     * A waiter that is first in line holds the heavyweight lock of the tuple and waits for the holder's xid; those behind it
     * wait for the tuple. So a session's tuple lock, granted or not, names the row in both cases. A prepared
     * transaction holds its xid without a pid. The two views are read a moment apart: where pg_stat_activity shows that
     * a waiter does not wait, the statement it shows is not the one that waits.
     */
    private static final String SELECT = """
            with locks as materialized (select * from pg_catalog.pg_locks where mode <> 'SIReadLock'),
            tuples as (select distinct on (pid) * from locks where locktype = 'tuple' order by pid, granted),
            holders as (select distinct on (transactionid) transactionid, pid from locks
              where locktype = 'transactionid' and granted and mode = 'ExclusiveLock'),
            sessions as materialized (select * from pg_catalog.pg_stat_activity),
            waiters as (select * from locks where not granted and locktype in ('tuple', 'transactionid')
              and pid <> pg_backend_pid() and pid not in (select pid from sessions
                where query <> '<insufficient privilege>' and wait_event_type is distinct from 'Lock'))
            select c.entries, w.pid, a.datname, w.transactionid::text as transaction, w.locktype,
                   t.relation, t.page, t.tuple, t.mode,
                   case when t.database = (select oid from pg_catalog.pg_database where datname = current_database())
                     then coalesce(pg_partition_root(t.relation), t.relation::regclass)::text end as table_name,
                   case when a.query <> '<insufficient privilege>' then a.query end as query,
                   (extract(epoch from clock_timestamp() - w.waitstart) * 1000000)::int8 as wait_micros,
                   h.transactionid is not null as is_held, h.pid as holder, ha.state as holder_state,
                   exists (select from locks where pid = h.pid and not granted) as holder_waits,
                   (extract(epoch from clock_timestamp() - ha.state_change) * 1000000)::int8 as holder_micros
            from (select count(*) as entries from (select distinct locktype, database, relation, page, tuple, virtualxid,
                    transactionid, classid, objid, objsubid from locks where not fastpath) as locked) as c
            left join waiters as w on true
            left join tuples as t on t.pid = w.pid
            left join holders as h on h.transactionid = w.transactionid
            left join sessions as a on a.pid = w.pid
            left join sessions as ha on ha.pid = h.pid
            """;

    static LockTable read(Connection connection) throws SQLException {
        int entries = 0;
        List<RowWait> waits = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            while (row.next()) {
                entries = row.getInt("entries");
                row.getInt("pid");
                if (!row.wasNull()) {
                    waits.add(wait(row));
                }
            }
        }
        return new LockTable(entries, List.copyOf(waits));
    }

    private static RowWait wait(ResultSet row) throws SQLException {
        String mode = row.getString("mode");
        String query = row.getString("query");
        Duration waited = micros(row, "wait_micros");
        return new RowWait(
                row.getString("datname"),
                mode == null
                        ? null
                        : new Row(
                                row.getLong("relation"),
                                row.getString("table_name"),
                                row.getLong("page"),
                                row.getInt("tuple")),
                row.getString("transaction"),
                mode == null ? null : rowLockMode(mode),
                query == null ? null : SqlText.normalize(query),
                // Null for the instant in which the wait begins.
                waited == null ? Duration.ZERO : waited,
                row.getBoolean("is_held") ? new Holder(state(row), micros(row, "holder_micros")) : null);
    }

    /** Which table lock mode the server's tuple lock uses for which row lock mode (tupleLockExtraInfo in heapam.c). */
    static RowLockMode rowLockMode(String tupleLockMode) {
        return switch (tupleLockMode) {
            case "AccessShareLock" -> RowLockMode.FOR_KEY_SHARE;
            case "RowShareLock" -> RowLockMode.FOR_SHARE;
            case "ExclusiveLock" -> RowLockMode.FOR_NO_KEY_UPDATE;
            default -> RowLockMode.FOR_UPDATE;
        };
    }

    private static HolderState state(ResultSet row) throws SQLException {
        row.getInt("holder");
        if (row.wasNull()) {
            return HolderState.PREPARED;
        }
        String state = row.getString("holder_state");
        if (state == null) {
            return HolderState.HIDDEN;
        }
        if (state.startsWith("idle in transaction")) {
            return HolderState.IDLE_IN_TRANSACTION;
        }
        return row.getBoolean("holder_waits") ? HolderState.WAITING : HolderState.RUNNING;
    }

    private static @Nullable Duration micros(ResultSet row, String column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : Duration.ofNanos(Math.max(0, micros) * 1_000);
    }
}
