package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLocks;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.IdTypes;
import org.rowlock.spring.internal.proxy.RowLockUsage;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Checks a table of a {@link RowLock}, or of the configuration, against the catalog. */
final class TableCheck {
    private static final String COLUMNS = """
            select c.relkind, c.oid, col.attname::text,
                   case when t.typtype = 'e' then 'enum'
                        else coalesce(nullif(t.typbasetype, 0), t.oid)::regtype::text end,
                   (select k.n from %s where i.indrelid = c.oid and i.indisprimary and k.attnum = col.attnum)
            from pg_catalog.pg_class as c
                 join pg_catalog.pg_attribute as col on col.attrelid = c.oid and col.attnum > 0 and not col.attisdropped
                 join pg_catalog.pg_type as t on t.oid = col.atttypid
            where c.oid = to_regclass(?)
            order by col.attnum
            """.formatted(CatalogSql.KEY_COLUMNS);

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
    /** The first name of each table that was met. */
    private final Map<Long, String> spellings = new HashMap<>();
    /** The type of each column of each table that was met. */
    private final Map<String, Map<String, String>> types = new HashMap<>();

    TableCheck(Connection connection, RowLocks locks) {
        this.connection = connection;
        this.jdbc = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
        this.locks = locks;
    }

    /** @param inKey its place in the primary key; 0 for none */
    private record Column(String kind, long oid, String name, String type, int inKey) {}

    /** Checks the table of an annotation, and its id against the primary key. */
    void check(RowLockUsage usage) throws SQLException {
        String what = "@RowLock on " + usage.method();
        String table = usage.table();
        List<String> columns = idColumns(what, table);
        int parts = usage.definition().parts();
        List<String> names = usage.definition().partNames().get();
        if (columns.isEmpty()) {
            return;
        }
        String key = (locks.configuredIdColumns(table).isEmpty() ? "primary key of " : "configured id of ") + table;
        if (parts != 0 && parts != columns.size()) {
            throw new RowLockDefinitionException(
                    what + " gives " + parts + (parts == 1 ? " part" : " parts") + " of an id ("
                            + usage.definition().idText() + "), but the " + key + " is " + columns + ".",
                    "Give a value per column, in this order.");
        }
        if (names.size() > 1 && !inOrder(names, columns)) {
            throw new RowLockDefinitionException(
                    what + ", " + usage.definition().idText() + ": the parts of the id are " + names + ", but the "
                            + key + " is " + columns + ", in another order.",
                    "Order them alike; of an id object the parts can be given one by one:"
                            + " id = {\"#id.first\", \"#id.second\"}.");
        }
        checkTypes(what, usage, columns);
    }

    /** {@code ROW} leaves the comparison of ids to the server. */
    private void checkTypes(String what, RowLockUsage usage, List<String> columns) {
        List<Optional<Class<?>>> parts = usage.definition().partTypes();
        if (parts.size() != columns.size() || locks.strategyOf(LockKey.row(usage.table(), 0)) == LockStrategy.ROW) {
            return;
        }
        Map<String, String> ofTable = types.getOrDefault(usage.table(), Map.of());
        for (int i = 0; i < columns.size(); i++) {
            String column = ofTable.getOrDefault(columns.get(i), "");
            Class<?> type = parts.get(i).orElse(Object.class);
            if (!IdTypes.fit(type, column)) {
                throw new RowLockDefinitionException(
                        what + ", " + usage.definition().idText() + ": a " + type.getSimpleName()
                                + " cannot be the own type of the column "
                                + columns.get(i) + " of " + usage.table() + ", which is " + column
                                + ": values that are spelled differently, such as \"1\" and \"01\", can be one row"
                                + " there, and are two advisory locks.",
                        "Give the id as a " + IdTypes.example(column) + ", or use strategy ROW for the table.");
            }
        }
    }

    /** Refuses a table of the configuration that is not there, or has no id columns and needs them. */
    void checkConfigured(String table) throws SQLException {
        idColumns("The configuration of table " + table, table);
    }

    private List<String> idColumns(String what, String table) throws SQLException {
        try {
            List<Column> all = jdbc.query(
                    COLUMNS,
                    (row, number) -> new Column(
                            row.getString(1), row.getLong(2), row.getString(3), row.getString(4), row.getInt(5)),
                    table);
            if (all.isEmpty()) {
                String tables = jdbc.queryForObject(TABLES, String.class);
                throw new RowLockDefinitionException(
                        what + " names the table " + table + ", which is not in the database "
                                + connection.getCatalog() + " for this role and search_path. There is: "
                                + (tables == null ? "no table at all" : tables) + ".",
                        tables == null
                                ? "See if the migration (Flyway, Liquibase) has run, and in this database; or write"
                                        + " the name with its schema."
                                : "Write the name as in SQL, with its schema if need be.");
            }
            String kind = all.get(0).kind();
            if (!kind.equals("r") && !kind.equals("p")) {
                throw new RowLockDefinitionException(
                        what + " names " + table + ", which is no table (a view, an index, ...).",
                        "Name the table whose rows are to be locked.");
            }
            checkSpelling(what, table, all.get(0).oid());
            types.put(table, all.stream().collect(Collectors.toMap(Column::name, Column::type)));
            List<String> columns = idColumns(what, table, all);
            locks.checkTable(connection, table);
            return columns;
        } catch (LockTargetException e) {
            throw new RowLockDefinitionException(
                    what + ": " + e.getMessage(), "In the configuration: rowlock.tables[" + table + "].");
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

    /** The lock is that of the table, however it is spelled, but the configuration goes by the name. */
    private void checkSpelling(String what, String table, long oid) {
        String other = spellings.putIfAbsent(oid, table);
        if (other == null || other.equals(table)) {
            return;
        }
        LockStrategy strategy = locks.strategyOf(LockKey.row(table, 0));
        LockStrategy ofOther = locks.strategyOf(LockKey.row(other, 0));
        if (strategy != ofOther || !locks.configuredIdColumns(table).equals(locks.configuredIdColumns(other))) {
            throw new RowLockDefinitionException(
                    what + " names the table " + table + ", which elsewhere is named " + other
                            + ", and the two names are configured differently (strategy " + strategy + " and " + ofOther
                            + ").",
                    "Use one name everywhere, or configure both alike: rowlock.tables[" + table
                            + "] and rowlock.tables[" + other + "].");
        }
    }

    private List<String> idColumns(String what, String table, List<Column> all) {
        List<String> configured = locks.configuredIdColumns(table);
        List<String> names = all.stream().map(Column::name).toList();
        for (String column : configured) {
            if (!names.contains(column)) {
                throw new RowLockDefinitionException(
                        "The configured id columns of " + table + " name " + column + ", which it does not have.",
                        "It has: " + String.join(", ", names) + ". Write them as the catalog has them.");
            }
        }
        List<String> primaryKey = all.stream()
                .filter(column -> column.inKey() > 0)
                .sorted(Comparator.comparingInt(Column::inKey))
                .map(Column::name)
                .toList();
        if (!configured.isEmpty() || !primaryKey.isEmpty()) {
            return configured.isEmpty() ? primaryKey : configured;
        }
        LockStrategy strategy = locks.strategyOf(LockKey.row(table, 0));
        if (strategy != LockStrategy.ADVISORY) {
            throw new RowLockDefinitionException(
                    what + ": strategy " + strategy + " locks rows by their id, and " + table + " has no primary key.",
                    "Name the id columns (rowlock.tables." + table + ".id-columns), or use strategy ADVISORY.");
        }
        return List.of();
    }

    /** Only if the names are those of all the columns, each once, another order is a mistake for sure. */
    private static boolean inOrder(List<String> names, List<String> columns) {
        List<String> given = names.stream().map(TableCheck::plain).toList();
        List<String> ids = columns.stream().map(TableCheck::plain).toList();
        Set<String> distinct = new HashSet<>(given);
        return given.equals(ids)
                || given.size() != ids.size()
                || distinct.size() != given.size()
                || !distinct.equals(new HashSet<>(ids));
    }

    /** Also without the end that says no more than that it is an id: an order and an order_id are one. */
    private static String plain(String name) {
        String plain = name.replace("_", "").toLowerCase(Locale.ROOT);
        return plain.length() > 2 && plain.endsWith("id") ? plain.substring(0, plain.length() - 2) : plain;
    }
}
