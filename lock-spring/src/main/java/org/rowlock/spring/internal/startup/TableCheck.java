package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.guard.GuardState;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.TableName;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.proxy.LockChains.Usage;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Checks the tables of {@link RowLock} and of the configuration against the catalog. The tables must exist, and their
 * primary keys must fit the given ids. Tables with strategy ADVISORY must have a guard against writers that do not
 * lock.
 */
final class TableCheck {
    private static final Log LOG = LogFactory.getLog(TableCheck.class);

    /** A column, or a path that begins with a parameter: {@code #command.orderId}, {@code #p0?.line()}. */
    private static final Pattern PATH =
            Pattern.compile("(?U)^\\s*#?(?:[\\w$]+(?:\\(\\))?\\??\\.)*([\\w$]+)(?:\\(\\))?\\s*$");

    private static final Map<GuardState, String> IN_WORDS = Map.of(
            GuardState.MISSING, "no guard",
            GuardState.DISABLED, "its guard is switched off by DISABLE TRIGGER",
            GuardState.OUTDATED, "its guard has another version, or the primary key was replaced");

    /** The oid of a table or a view. Which views can be locked, lock-core decides. */
    private static final String OID =
            "select oid from pg_catalog.pg_class where oid = to_regclass(?) and relkind in ('r', 'p', 'v')";

    private static final String MAY_LOCK = "select has_any_column_privilege(c, 'SELECT') and"
            + " has_any_column_privilege(c, 'UPDATE') from to_regclass(?) as c";

    private static final String TABLES = """
        select string_agg(name, ', ') from
          (select c.oid::regclass::text as name from pg_catalog.pg_class as c
           where c.relkind in ('r', 'p') and pg_catalog.pg_table_is_visible(c.oid)
             and c.relnamespace <> 'pg_catalog'::regnamespace
           order by 1 limit 20) as t
        """;

    private final Connection connection;
    private final JdbcTemplate jdbc;
    private final RowLocks locks;
    /** The first checked spelling of each table's name, by the oid of the table. */
    private final Map<Long, String> spellings = new HashMap<>();

    private final Set<String> advisory = new TreeSet<>();

    TableCheck(Connection connection, RowLocks locks) {
        this.connection = connection;
        this.jdbc = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
        this.locks = locks;
    }

    void check(Usage usage) throws SQLException {
        String what = "@RowLock on " + usage.method();
        String table = usage.table();
        List<String> columns = idColumns(what, table);
        if (!advisory.contains(table) && Boolean.FALSE.equals(jdbc.queryForObject(MAY_LOCK, Boolean.class, table))) {
            throw new RowLockDefinitionException(
                    what + " locks rows of " + table + ", for which this role lacks SELECT or UPDATE.",
                    "Grant both to the role. If calls use another role, set rowlock.verify=false instead.");
        }
        int parts = usage.definition().given().size();
        String key = (configuredId(table).isEmpty() ? "primary key of " : "configured id of ") + table;
        if (columns.isEmpty() || parts == 1) {
            return;
        }
        if (parts != columns.size()) {
            throw new RowLockDefinitionException(
                    what + " gives " + parts + " parts of an id ("
                            + usage.definition().idText() + "), but the " + key + " is " + columns + ".",
                    "Give a value for each column, in this order.");
        }
        List<String> given = names(
                Stream.of(usage.definition().idText().replaceFirst("^id ", "").split(", ")));
        List<String> ids = names(columns.stream());
        if (!given.equals(ids)
                && given.stream().sorted().toList().equals(ids.stream().sorted().toList())) {
            throw new RowLockDefinitionException(
                    what + ": the parts of the " + usage.definition().idText() + " have another order than the " + key
                            + ", which is " + columns + ".",
                    "Use the same order.");
        }
    }

    /** Rejects a table that does not exist, or that has no id columns although its strategy needs them. */
    List<String> idColumns(String what, String table) throws SQLException {
        try {
            List<Long> oid = jdbc.queryForList(OID, Long.class, table);
            if (oid.isEmpty()) {
                throw absent(what, table);
            }
            checkSpelling(what, table, oid.get(0));
            List<String> columns = LockAccess.of(locks).tables().check(connection, table);
            if (LockAccess.of(locks).tables().strategyOf(LockKey.row(table, 0)) == LockStrategy.ADVISORY) {
                advisory.add(table);
            }
            return columns;
        } catch (LockTargetException e) {
            throw new RowLockDefinitionException(
                    what + ": " + e.getMessage(),
                    "In the configuration, set strategy or id-columns of rowlock.tables[" + table + "].");
        } catch (DataAccessException e) {
            if (!(e.getRootCause() instanceof SQLException refused)
                    || !SqlState.INSUFFICIENT_PRIVILEGE.equals(refused.getSQLState())) {
                throw e;
            }
            throw new RowLockDefinitionException(
                    what + " names the table " + table + ", which this role may not look up: " + refused.getMessage()
                            + ".",
                    "Grant the role of the DataSource usage on the schema.");
        }
    }

    private RowLockDefinitionException absent(String what, String table) throws SQLException {
        String tables = jdbc.queryForObject(TABLES, String.class);
        return new RowLockDefinitionException(
                what + " names " + table + ", which is not a table in the database " + connection.getCatalog()
                        + " for this role and the search_path "
                        + jdbc.queryForObject("show search_path", String.class) + ". The tables are: "
                        + (tables == null ? "none" : tables)
                        + ".",
                "Write the name as in SQL, with its schema if necessary. Check whether the migration (Flyway,"
                        + " Liquibase) has run in this database. If each tenant has a schema of its own, set"
                        + " rowlock.verify=false instead.");
    }

    /** Rejects a second spelling of a table's name if the two spellings are configured differently. */
    private void checkSpelling(String what, String table, long oid) {
        String other = spellings.putIfAbsent(oid, table);
        if (other == null || other.equals(table)) {
            return;
        }
        LockStrategy strategy = LockAccess.of(locks).tables().strategyOf(LockKey.row(table, 0));
        LockStrategy ofOther = LockAccess.of(locks).tables().strategyOf(LockKey.row(other, 0));
        if (strategy != ofOther || !configuredId(table).equals(configuredId(other))) {
            throw new RowLockDefinitionException(
                    what + " names the table " + table + ", which elsewhere is named " + other
                            + ", and the two names are configured differently (strategy " + strategy + " and " + ofOther
                            + ").",
                    "Use one name everywhere, or give both names the same configuration: rowlock.tables[" + table
                            + "] and rowlock.tables[" + other + "].");
        }
    }

    /** Returns the names of paths and columns, without the suffix "id": "order" for "#line.orderId" and "order_id". */
    private static List<String> names(Stream<String> words) {
        return words.map(word -> PATH.matcher(word).replaceFirst("$1"))
                .map(name -> name.replace("_", "").toLowerCase(Locale.ROOT).replaceFirst("(?<=.)id$", ""))
                .toList();
    }

    void checkGuards(Reaction reaction) throws SQLException {
        Map<String, GuardState> unguarded = new TreeMap<>();
        for (String table : reaction == Reaction.IGNORE ? Set.<String>of() : advisory) {
            unguarded.put(table, guard(table, reaction));
        }
        unguarded.values().removeIf(state -> state == GuardState.CURRENT);
        if (unguarded.isEmpty()) {
            return;
        }
        String words = unguarded.entrySet().stream()
                .map(each -> each.getKey() + " (" + IN_WORDS.get(each.getValue()) + ")")
                .collect(Collectors.joining(", "));
        String sql = unguarded.keySet().stream().map(this::install).collect(Collectors.joining(" "));
        String problem =
                "Strategy ADVISORY is not guarded against writers that do not lock through Rowlock, and such writers"
                        + " can cause lost updates: " + words + ".";
        String action =
                "Install the guard in a migration. First run the SQL that java -jar lock-guard.jar prints, unless the"
                        + " schema rowlock is up to date, then " + sql
                        + " If every writer locks, set rowlock.missing-guard=ignore.";
        if (reaction == Reaction.FAIL) {
            throw new RowLockDefinitionException(problem, action);
        }
        LOG.warn(problem + " " + action);
    }

    private List<String> configuredId(String table) {
        return LockAccess.of(locks).tables().idColumnsOf(TableName.normalize(table));
    }

    private String install(String table) {
        Collection<String> columns = configuredId(table);
        String given = columns.isEmpty() ? "" : ", id_columns => array[" + joined(columns) + "]";
        return "select rowlock.install_guard(" + joined(List.of(table)) + given + ");";
    }

    private static String joined(Collection<String> texts) {
        return texts.stream().map(text -> "'" + text.replace("'", "''") + "'").collect(Collectors.joining(", "));
    }

    /**
     * Returns the state of the guard. If the state cannot be looked up, the reaction to a missing guard applies: this
     * method either throws the exception, or logs a warning and assumes that the guard is current.
     */
    private GuardState guard(String table, Reaction reaction) throws SQLException {
        try {
            return RowLockGuard.stateOf(connection, table);
        } catch (SQLException e) {
            if (reaction == Reaction.FAIL) {
                throw e;
            }
            LOG.warn("Whether " + table + " is guarded cannot be looked up: " + e.getMessage());
            return GuardState.CURRENT;
        }
    }
}
