package org.rowlock.spring.internal.startup;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.rowlock.LockStrategy;
import org.rowlock.internal.text.CatalogSql;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * The word that this instance leaves of its strategies in one database: a shared advisory lock of a session for each
 * table of ROW and ADVISORY, on a key that nothing else uses. BOTH excludes everybody, and so has nothing to say.
 * Thread-safe; closing it takes the word back.
 */
final class StrategyWord implements AutoCloseable {
    private static final Log LOG = LogFactory.getLog(StrategyWatch.class);

    private static final String KEYS = """
            select name, %s as row_key, %s as advisory_key
            from (select name, %s as root from unnest(?::text[]) as name) as t
            where t.root is not null
            """.formatted(key("ROW"), key("ADVISORY"), CatalogSql.root("to_regclass(name)"));

    /** Nobody takes these locks but in shared mode, so nobody waits for them. */
    private static final String LEAVE = "select pg_try_advisory_lock_shared(k) from unnest(?::bigint[]) as k";

    private static final String OTHERS = """
            select (l.classid::int8 << 32) | l.objid::int8, l.pid, coalesce(a.application_name, ''),
                   coalesce(host(a.client_addr), 'a local socket')
            from pg_catalog.pg_locks as l left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.mode = 'ShareLock'
              and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
              and (l.classid::int8 << 32) | l.objid::int8 = any (?::bigint[])
            order by l.pid
            """;

    private final DataSource pool;
    private final DataSource unpooled;
    private final Map<String, LockStrategy> strategies;
    private @Nullable SingleConnectionDataSource session;
    private boolean isOver;
    private volatile List<Table> tables = List.of();
    private volatile List<String> conflicts = List.of();

    /** A table, and the keys of the words on it. */
    private record Table(String name, LockStrategy strategy, long rowKey, long advisoryKey) {
        long own() {
            return strategy == LockStrategy.ROW ? rowKey : advisoryKey;
        }

        /** Of those that must not run beside this instance. */
        long other() {
            return strategy == LockStrategy.ROW ? advisoryKey : rowKey;
        }
    }

    /** Names of tables mean what they do on the pool's connections; the word is left on one beside them. */
    StrategyWord(DataSource pool, DataSource unpooled, Map<String, LockStrategy> strategies) {
        this.pool = pool;
        this.unpooled = unpooled;
        this.strategies = Map.copyOf(strategies);
    }

    private static String key(String strategy) {
        return CatalogSql.hash("'rowlock strategy ' || t.root || ' " + strategy + "'");
    }

    /** The instances whose strategy for one of the tables does not exclude that of this instance; a sentence each. */
    List<String> conflicts() {
        return conflicts;
    }

    /** Whether it is the key of a word on one of the tables, by whatever instance. */
    boolean isOn(long key) {
        return tables.stream().anyMatch(table -> table.rowKey() == key || table.advisoryKey() == key);
    }

    /** Looks for the words of others; leaves its own, if it is not there. */
    synchronized void look() {
        if (isOver) {
            return;
        }
        try {
            List<String> found = session == null && !leave() ? List.of() : others();
            if (!found.equals(conflicts)) {
                found.forEach(LOG::error);
            }
            conflicts = found;
        } catch (SQLException | DataAccessException e) {
            LOG.warn("The strategies of other instances cannot be looked at just now: " + e.getMessage());
            end();
        }
    }

    /** False where there is nothing to say, or nowhere to leave it. */
    private boolean leave() throws SQLException {
        tables = new JdbcTemplate(pool)
                .query(
                        KEYS,
                        (row, number) -> new Table(
                                row.getString(1),
                                strategies.getOrDefault(row.getString(1), LockStrategy.BOTH),
                                row.getLong(2),
                                row.getLong(3)),
                        (Object) strategies.keySet().toArray(String[]::new));
        session = new SingleConnectionDataSource(unpooled.getConnection(), true);
        Long[] own = keys(Table::own);
        isOver = own.length == 0 || !canBeLeft();
        if (!isOver) {
            jdbc().query(LEAVE, (ResultSet left) -> {}, (Object) own);
            return true;
        }
        end();
        if (own.length > 0) {
            LOG.info(
                    "The strategies of other instances are not watched: there is a pooler in front of the server, or it"
                            + " is a standby, and locks of a session cannot be left there");
        }
        return false;
    }

    /** Whether locks of a session stay with this connection: not behind a pooler, and on no standby. */
    private boolean canBeLeft() {
        Integer pid = jdbc().execute((ConnectionCallback<Integer>)
                connection -> connection.unwrap(PGConnection.class).getBackendPID());
        return Boolean.TRUE.equals(
                jdbc().queryForObject("select pg_backend_pid() = ? and not pg_is_in_recovery()", Boolean.class, pid));
    }

    private List<String> others() {
        return jdbc().query(
                        OTHERS,
                        (row, number) -> describe(row.getLong(1), row.getInt(2), row.getString(3), row.getString(4)),
                        (Object) keys(Table::other));
    }

    private String describe(long key, int pid, String application, String address) {
        Table table =
                tables.stream().filter(each -> each.other() == key).findFirst().orElseThrow();
        return "The table " + table.name() + " is locked with strategy " + table.strategy() + " here, and with "
                + (table.strategy() == LockStrategy.ROW ? LockStrategy.ADVISORY : LockStrategy.ROW)
                + " by another instance (server process " + pid + ", application '" + application + "', from "
                + address + "): the two do not exclude each other, and updates are lost.";
    }

    private Long[] keys(ToLongFunction<Table> key) {
        return tables.stream()
                .filter(table -> table.strategy() != LockStrategy.BOTH)
                .mapToLong(key)
                .boxed()
                .toArray(Long[]::new);
    }

    private JdbcTemplate jdbc() {
        return new JdbcTemplate(Objects.requireNonNull(session));
    }

    /** With the session its locks end. */
    private void end() {
        if (session != null) {
            session.destroy();
            session = null;
        }
    }

    @Override
    public synchronized void close() {
        isOver = true;
        end();
    }
}
