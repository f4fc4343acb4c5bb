package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockStrategy;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Finds instances that run {@link LockStrategy#ROW} beside others that run {@link LockStrategy#ADVISORY} on a table,
 * which do not exclude each other. Each instance leaves word: a shared advisory lock of a session for each table, on a
 * key that nothing else uses, in a connection that stays in the pool. Each verification looks for the words of others,
 * and leaves its own again if the pool has closed that connection. {@link LockStrategy#BOTH} excludes everybody, and so
 * has nothing to say. Thread-safe.
 */
public final class StrategyWatch {
    private static final Log LOG = LogFactory.getLog(StrategyWatch.class);

    private static final String KEYS = """
            select t.name, %s as of_row, %s as of_advisory
            from (select name, %s as root from unnest(?::text[]) as given(name)) as t
            where t.root is not null
            """.formatted(
                    CatalogSql.hash("'rowlock strategy ' || t.root || ' ROW'"),
                    CatalogSql.hash("'rowlock strategy ' || t.root || ' ADVISORY'"),
                    CatalogSql.root("to_regclass(name)"));

    /** Nobody takes these locks but in shared mode, so nobody waits for them. */
    private static final String LEAVE = "select pg_try_advisory_lock_shared(k) from unnest(?::bigint[]) as k";

    private static final String WORDS = """
            select (l.classid::int8 << 32) | l.objid::int8, l.pid, coalesce(a.application_name, ''),
                   coalesce(host(a.client_addr), 'a local socket')
            from pg_catalog.pg_locks as l left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.mode = 'ShareLock'
              and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
              and (l.classid::int8 << 32) | l.objid::int8 = any (?::bigint[])
            order by l.pid
            """;

    private final ConfigurableBeanFactory beans;
    private final Map<DataSource, Database> databases = new ConcurrentHashMap<>();

    public StrategyWatch(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Leaves word of strategies, and looks for that of others.
     *
     * @throws RowLockDefinitionException if another instance must not run beside this one, and that is to be refused
     */
    public void start(DataSource dataSource, Map<String, LockStrategy> strategies) {
        String reaction = String.valueOf(beans.resolveEmbeddedValue("${rowlock.strategy-conflict:fail}"));
        if (strategies.isEmpty() || reaction.equalsIgnoreCase(Reaction.IGNORE.name())) {
            return;
        }
        databases.put(dataSource, new Database(strategies));
        look(dataSource);
        List<String> conflicts = conflicts();
        if (!conflicts.isEmpty() && !reaction.equalsIgnoreCase(Reaction.WARN.name())) {
            throw new RowLockDefinitionException(
                    String.join(" ", conflicts),
                    "Go from ROW to ADVISORY, and back, by way of BOTH: let all instances run BOTH first. If that"
                            + " instance is gone and only its session is left, end it with pg_terminate_backend; or set"
                            + " rowlock.strategy-conflict=warn.");
        }
    }

    /** Looks again, in a connection of the pool. */
    void look(DataSource dataSource) {
        Database database = databases.get(dataSource);
        if (database == null) {
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            if (canStay(connection)) {
                database.look(connection);
            } else {
                databases.remove(dataSource);
                LOG.info("The strategies of other instances are not watched: there is a pooler in front of the server,"
                        + " or it is a standby, and locks of a session cannot stay there");
            }
        } catch (SQLException e) {
            LOG.warn("The strategies of other instances cannot be looked at just now: " + e.getMessage());
        }
    }

    /** Whether locks of a session stay with this connection: not behind a pooler, and on no standby. */
    private static boolean canStay(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid(), pg_is_in_recovery()")) {
            row.next();
            return row.getInt(1) == connection.unwrap(PGConnection.class).getBackendPID() && !row.getBoolean(2);
        }
    }

    /**
     * The instances that run beside this one and must not, as the last verification saw them.
     *
     * @return a sentence each; empty if there is none
     */
    public List<String> conflicts() {
        return databases.values().stream()
                .flatMap(database -> database.conflicts.stream())
                .toList();
    }

    /**
     * Whether a lock is the word of an instance, and locks nothing.
     *
     * @param line what the inspector found
     * @return true for a word on one of this instance's tables
     */
    public boolean isWord(LockInspector.Line line) {
        return line.isShared()
                && !line.isPair()
                && databases.values().stream()
                        .anyMatch(database -> database.keys.contains(line.first() << 32 | line.second()));
    }

    /** A table, and the keys of its words. */
    private record Table(String name, LockStrategy strategy, long ofRow, long ofAdvisory) {
        boolean hasWord() {
            return strategy != LockStrategy.BOTH;
        }

        long own() {
            return strategy == LockStrategy.ROW ? ofRow : ofAdvisory;
        }

        long other() {
            return strategy == LockStrategy.ROW ? ofAdvisory : ofRow;
        }
    }

    /** What an instance has left. */
    private record Word(long key, int pid, String application, String address) {}

    /** What is known of one database. */
    private static final class Database {
        private final Map<String, LockStrategy> strategies;
        /** Of the session that has the words of this instance. */
        private int pid;

        private volatile List<String> conflicts = List.of();
        private volatile Set<Long> keys = Set.of();

        Database(Map<String, LockStrategy> strategies) {
            this.strategies = Map.copyOf(strategies);
        }

        synchronized void look(Connection connection) throws SQLException {
            List<Table> tables = tables(connection);
            keys = Set.copyOf(tables.stream()
                    .flatMap(table -> Stream.of(table.ofRow(), table.ofAdvisory()))
                    .toList());
            List<Table> own = tables.stream().filter(Table::hasWord).toList();
            List<Word> words = words(connection);
            if (!own.stream().allMatch(table -> isLeft(table, words))) {
                leave(connection, own);
            }
            // Behind the own word: of two that start at once one sees the other.
            List<String> found = words(connection).stream()
                    .flatMap(word -> own.stream()
                            .filter(table -> table.other() == word.key())
                            .map(table -> conflict(table, word)))
                    .toList();
            if (!found.equals(conflicts)) {
                found.forEach(LOG::error);
            }
            conflicts = found;
        }

        private boolean isLeft(Table table, List<Word> words) {
            return words.stream().anyMatch(word -> word.key() == table.own() && word.pid() == pid);
        }

        private List<Word> words(Connection connection) throws SQLException {
            List<Word> words = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(WORDS)) {
                statement.setArray(1, connection.createArrayOf("bigint", keys.toArray()));
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        words.add(new Word(row.getLong(1), row.getInt(2), row.getString(3), row.getString(4)));
                    }
                }
            }
            return words;
        }

        private List<Table> tables(Connection connection) throws SQLException {
            List<Table> tables = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(KEYS)) {
                statement.setArray(
                        1, connection.createArrayOf("text", strategies.keySet().toArray()));
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        String name = row.getString(1);
                        tables.add(new Table(
                                name,
                                strategies.getOrDefault(name, LockStrategy.BOTH),
                                row.getLong(2),
                                row.getLong(3)));
                    }
                }
            }
            return tables;
        }

        private void leave(Connection connection, List<Table> own) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(LEAVE)) {
                statement.setArray(
                        1,
                        connection.createArrayOf(
                                "bigint", own.stream().map(Table::own).toArray()));
                statement.executeQuery().close();
            }
            pid = connection.unwrap(PGConnection.class).getBackendPID();
        }

        private static String conflict(Table table, Word word) {
            return "The table " + table.name() + " is locked with strategy " + table.strategy() + " here, and with "
                    + (table.strategy() == LockStrategy.ROW ? "ADVISORY" : "ROW")
                    + " by another instance (server process " + word.pid() + ", application '" + word.application()
                    + "', from " + word.address() + "): the two do not exclude each other, and updates are lost.";
        }
    }
}
