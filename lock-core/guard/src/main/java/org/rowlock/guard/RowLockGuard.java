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
import java.util.List;
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
 * <p>{@link #schemaSql()} makes a schema {@code rowlock}. Its functions {@code install_guard}, {@code install_audit},
 * {@code remove_guard} and {@code remove_audit} are called in SQL, in a migration or directly, by the owner of the
 * table; no superuser is needed. Running any of it again does no harm. What the guard does not cover is in
 * <a href="https://github.com/rowlock/rowlock/blob/main/docs/guard.md#guard">its table</a>.
 *
 * <p>Not thread-safe, as its connection is not.
 */
public final class RowLockGuard {
    /** What {@code rowlock.version()} gives where the SQL is of this version. */
    private static final int GUARD_VERSION = 2;

    private static final int KEY_VERSION = 1;

    private static final String STATE = "select case when not g.enabled then 'DISABLED' when g.current and v.guard = "
            + GUARD_VERSION + " and v.key = " + KEY_VERSION + " then 'CURRENT' else 'OUTDATED' end"
            + " from rowlock.guards as g cross join rowlock.version() as v"
            + " where g.relation = rowlock.root(cast(cast(? as text) as regclass))";

    private final Connection connection;

    private RowLockGuard(Connection connection) {
        this.connection = connection;
    }

    /**
     * {@return the SQL that makes or renews the schema {@code rowlock}: functions, views and the table of the audit} To
     * be run in one transaction.
     */
    public static String schemaSql() {
        return file("keys.sql") + '\n' + file("guard.sql") + '\n' + file("audit.sql");
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
     */
    public GuardState stateOf(String table) throws SQLException {
        List<GuardState> states = read(STATE, row -> GuardState.valueOf(row.getString(1)), table);
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
