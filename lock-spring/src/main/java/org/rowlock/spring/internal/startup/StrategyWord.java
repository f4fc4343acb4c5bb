package org.rowlock.spring.internal.startup;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.postgresql.PGConnection;
import org.rowlock.LockStrategy;
import org.rowlock.internal.text.CatalogSql;

/**
 * The word that this instance leaves of its strategies in one database: a shared advisory lock of a session for each
 * table of ROW and ADVISORY, on a key that nothing else uses. Not thread-safe; closing it takes the word back.
 */
final class StrategyWord implements AutoCloseable {
    /** Nobody takes these locks but in shared mode, so nobody waits for them. */
    private static final String KEYS = """
            select t.name, t.strategy, %s as own, %s as other, %s as third
            from (select name, strategy, %s as root
                  from unnest(?::text[], ?::text[]) as given(name, strategy)) as t
            where t.root is not null
            """.formatted(
                    key("t.strategy"),
                    key("case t.strategy when 'ADVISORY' then 'ROW' else 'ADVISORY' end"),
                    key("case t.strategy when 'BOTH' then 'ROW' else 'BOTH' end"),
                    CatalogSql.root("to_regclass(name)"));

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

    private final Connection connection;
    private final List<Table> tables = new ArrayList<>();

    /** A table, the key of this instance's word, that of those it must not run beside, and that of the others. */
    private record Table(String name, String strategy, long own, long other, long third) {}

    private StrategyWord(Connection connection) {
        this.connection = connection;
    }

    private static String key(String strategy) {
        return CatalogSql.hash("'rowlock strategy ' || t.root || ' ' || " + strategy);
    }

    /** Whether locks of a session stay with this connection: not behind a pooler, and on no standby. */
    static boolean canBeLeftOn(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid(), pg_is_in_recovery()")) {
            row.next();
            return row.getInt(1) == connection.unwrap(PGConnection.class).getBackendPID() && !row.getBoolean(2);
        }
    }

    /** Reads what is to be said; nothing is left yet. Closing it closes the connection. */
    static StrategyWord of(Connection connection, Map<String, LockStrategy> strategies) throws SQLException {
        StrategyWord word = new StrategyWord(connection);
        try (PreparedStatement statement = connection.prepareStatement(KEYS)) {
            statement.setArray(
                    1, connection.createArrayOf("text", strategies.keySet().toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "text", strategies.values().stream().map(Enum::name).toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    word.tables.add(new Table(
                            row.getString(1), row.getString(2), row.getLong(3), row.getLong(4), row.getLong(5)));
                }
            }
        }
        return word;
    }

    /** Whether anybody must not run beside this instance: BOTH excludes everybody, and so has nothing to say. */
    boolean isNeeded() {
        return tables.stream().anyMatch(StrategyWord::excludesNotAll);
    }

    private static boolean excludesNotAll(Table table) {
        return !table.strategy().equals(LockStrategy.BOTH.name());
    }

    /** Leaves word. */
    void leave() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LEAVE)) {
            statement.setArray(
                    1,
                    keys(tables.stream()
                            .filter(StrategyWord::excludesNotAll)
                            .map(Table::own)
                            .toArray()));
            statement.executeQuery().close();
        }
    }

    /** The keys of words on these tables, by whatever instance. */
    Set<Long> keys() {
        Set<Long> keys = new HashSet<>();
        for (Table table : tables) {
            keys.addAll(List.of(table.own(), table.other(), table.third()));
        }
        return keys;
    }

    /** The instances whose strategy for one of the tables does not exclude that of this instance; a sentence each. */
    List<String> conflicts() throws SQLException {
        List<String> conflicts = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(OTHERS)) {
            statement.setArray(
                    1,
                    keys(tables.stream()
                            .filter(StrategyWord::excludesNotAll)
                            .map(Table::other)
                            .toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    long key = row.getLong(1);
                    for (Table table : tables) {
                        if (table.other() == key) {
                            conflicts.add("The table " + table.name() + " is locked with strategy " + table.strategy()
                                    + " here, and with " + (table.strategy().equals("ROW") ? "ADVISORY" : "ROW")
                                    + " by another instance (server process " + row.getInt(2) + ", application '"
                                    + row.getString(3) + "', from " + row.getString(4)
                                    + "): the two do not exclude each other, and updates are lost.");
                        }
                    }
                }
            }
        }
        return conflicts;
    }

    private Array keys(Object[] keys) throws SQLException {
        return connection.createArrayOf("bigint", keys);
    }

    /** With the session its locks end. */
    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
