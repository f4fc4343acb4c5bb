package org.rowlock.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowMapper;

/**
 * What stands against writers that do not lock through Rowlock, whatever program they are: SQL to install in the
 * database, and what it has found there.
 *
 * <ul>
 *   <li>The <b>audit</b> notes writers that update or delete rows of a table without their keys. It refuses nothing. It
 *       is for {@link LockStrategy#BOTH}; at {@link LockStrategy#ROW} nobody takes a key, so it would note everybody.
 *   <li>The <b>guard</b> takes the key of each row that is updated or deleted, without waiting, for the transaction
 *       that writes it. Where another transaction holds the key, the writer gets SQLSTATE 55P03; else those who lock
 *       wait for it. So at {@link LockStrategy#ADVISORY} too a plain writer cannot make anybody lose an update.
 * </ul>
 *
 * <p>The SQL runs in a migration or directly, in one transaction, by the owner of the tables; no superuser is needed.
 * Running it again does no harm. Everything is in a schema {@code rowlock} but the triggers. What the guard does not
 * cover is in <a href="https://github.com/rowlock/rowlock/blob/main/docs/guard.md#guard">its table</a>.
 *
 * <p>The static methods are thread-safe and run no SQL; an instance is not thread-safe, as its connection is not.
 */
public final class RowLockGuard {
    private static final int DEFAULT_BUDGET = 1_000;

    /** What {@code rowlock.version()} gives where the SQL is of this version. */
    private static final int GUARD_VERSION = 2;

    private static final int KEY_VERSION = 1;

    private static final String STATE = "select g.current and (select v.guard = " + GUARD_VERSION + " and v.key = "
            + KEY_VERSION + " from rowlock.version() as v), g.enabled from rowlock.guards as g"
            + " where g.relation = rowlock.root(cast(cast(? as text) as regclass))";

    private final Connection connection;

    private RowLockGuard(Connection connection) {
        this.connection = connection;
    }

    /**
     * The SQL that guards tables, for a migration: the schema and a guard for each. A transaction may write 1,000 rows
     * that it has not locked.
     *
     * @param tables the tables, as in SQL: {@code account}, {@code public.account}, {@code "Account"}; a partitioned
     *     one includes its partitions
     * @return the SQL
     * @throws IllegalArgumentException if a table is not a well-formed SQL name
     */
    public static String sql(String... tables) {
        StringBuilder sql = new StringBuilder(schemaSql());
        for (String table : tables) {
            sql.append(guardSql(table, DEFAULT_BUDGET, List.of()));
        }
        return sql.toString();
    }

    /**
     * The SQL that guards one table where {@link #schemaSql()} has run.
     *
     * @param table the table, as in SQL
     * @param budget the most rows that one transaction may write without having locked them. Each takes a place in the
     *     server's lock table; beyond it the writer gets an error
     * @param idColumns the columns that the application locks by, as the catalog has them; none for the primary key
     * @return the SQL
     * @throws IllegalArgumentException if the table is not a well-formed SQL name, or the budget is below 1
     */
    public static String guardSql(String table, int budget, Collection<String> idColumns) {
        if (budget < 1) {
            throw new IllegalArgumentException("The budget is " + budget
                    + "; give the most rows that a transaction may write without locking them");
        }
        return call("install_guard", table, ", budget => " + budget + idColumns(idColumns));
    }

    /**
     * The SQL that audits one table where {@link #schemaSql()} has run.
     *
     * @param table the table, as in SQL; partitions that are attached later are only seen through it
     * @param sample the share of statements to look at, above 0 and at most 1
     * @param idColumns the columns that the application locks by, as the catalog has them; none for the primary key
     * @return the SQL
     * @throws IllegalArgumentException if the table is not a well-formed SQL name, or the sample is none
     */
    public static String auditSql(String table, double sample, Collection<String> idColumns) {
        if (!(sample > 0 && sample <= 1)) {
            throw new IllegalArgumentException(
                    "The sample is " + sample + "; give the share of statements to look at, above 0 and at most 1");
        }
        return call("install_audit", table, ", sample => " + sample + idColumns(idColumns));
    }

    /**
     * The SQL that makes or renews the schema {@code rowlock}: functions, views and the table of the audit.
     *
     * @return the SQL
     */
    public static String schemaSql() {
        return file("keys.sql") + '\n' + file("guard.sql") + '\n' + file("audit.sql");
    }

    /**
     * The SQL that removes the guard of a table. Writers do not notice.
     *
     * @param table the table, as in SQL
     * @return the SQL
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public static String guardRemovalSql(String table) {
        return call("remove_guard", table, "");
    }

    /**
     * The SQL that removes the audit of a table. What it has noted stays.
     *
     * @param table the table, as in SQL
     * @return the SQL
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public static String auditRemovalSql(String table) {
        return call("remove_audit", table, "");
    }

    /**
     * The SQL that removes everything: all guards, all audits, what they have noted, and the schema {@code rowlock}.
     *
     * @return the SQL
     */
    public static String removalSql() {
        return file("removal.sql");
    }

    private static String call(String function, String table, String moreArguments) {
        return "select rowlock." + function + '('
                + literal(LockKey.row(table, 0).table()) + moreArguments + ");\n";
    }

    /** The argument that names id columns; nothing where the primary key is meant. */
    private static String idColumns(Collection<String> columns) {
        return columns.isEmpty()
                ? ""
                : columns.stream()
                        .map(RowLockGuard::literal)
                        .collect(Collectors.joining(", ", ", id_columns => array[", "]::text[]"));
    }

    /** Means the same whatever standard_conforming_strings is. */
    private static String literal(String text) {
        String quoted = '\'' + text.replace("\\", "\\\\").replace("'", "''") + '\'';
        return text.indexOf('\\') < 0 ? quoted : 'E' + quoted;
    }

    private static String file(String name) {
        try (InputStream in = RowLockGuard.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "The jar of lock-guard has no " + name + "; was it repackaged without it?");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The jar of lock-guard cannot be read", e);
        }
    }

    /**
     * What is installed in the connection's database. Runs plain queries, in any transaction or in autocommit.
     *
     * @param connection any connection to it; not closed
     * @return the guard
     * @throws IllegalArgumentException if the connection is null
     */
    public static RowLockGuard of(Connection connection) {
        if (connection == null) {
            throw new IllegalArgumentException("The connection is null");
        }
        return new RowLockGuard(connection);
    }

    /**
     * The state of a table's guard. Any role may ask.
     *
     * @param table the table, as in SQL; of a partition that of its root
     * @return the state
     * @throws SQLException if the table does not exist, or the catalog cannot be read
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public GuardState stateOf(String table) throws SQLException {
        List<GuardState> states = read(
                STATE,
                row -> row.getBoolean(2)
                        ? row.getBoolean(1) ? GuardState.CURRENT : GuardState.OUTDATED
                        : GuardState.DISABLED,
                LockKey.row(table, 0).table());
        return states.isEmpty() ? GuardState.MISSING : states.get(0);
    }

    /**
     * The tables that are audited. Any role may ask.
     *
     * @return the tables
     * @throws SQLException if they cannot be read
     */
    public List<AuditedTable> auditedTables() throws SQLException {
        return read(
                "select relation::text, since, sample, enabled from rowlock.audits order by 1",
                row -> new AuditedTable(row.getString(1), instant(row, 2), row.getDouble(3), row.getBoolean(4)));
    }

    /**
     * The writers that the audit has noted, the latest first. Needs the role {@code pg_monitor} or SELECT on the view
     * {@code rowlock.stray_writers}.
     *
     * @return a line for each writer, at most 1,000 for a table
     * @throws SQLException if they cannot be read
     */
    public List<StrayWriter> strayWriters() throws SQLException {
        return read(
                "select relation::text, operation, role, application, query, context, first_seen, last_seen"
                        + " from rowlock.stray_writers order by last_seen desc, first_seen desc, query",
                row -> new StrayWriter(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        instant(row, 7),
                        instant(row, 8)));
    }

    /** Nothing where nothing is installed. */
    private <T> List<T> read(String sql, RowMapper<T> mapper, String... binds) throws SQLException {
        List<T> rows = new ArrayList<>();
        try (Statement look = connection.createStatement();
                ResultSet installed = look.executeQuery("select to_regclass('rowlock.guards') is not null")) {
            if (!installed.next() || !installed.getBoolean(1)) {
                return rows;
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < binds.length; i++) {
                statement.setString(i + 1, binds[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(mapper.map(row));
                }
            }
        }
        return rows;
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
