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
import java.util.Objects;
import org.rowlock.LockStrategy;

/**
 * Protects tables against programs that write rows without locking through Rowlock. The protection consists of triggers
 * and functions, which you install in the database.
 *
 * <ul>
 *   <li>The <b>audit</b> records transactions that update or delete rows without holding the keys (the advisory locks)
 *       of these rows. The audit rejects no write. Use the audit with {@link LockStrategy#BOTH}. With {@link
 *       LockStrategy#ROW} the audit would record every writer, because no transaction holds keys.
 *   <li>The <b>guard</b> acquires the key of each updated or deleted row for the writing transaction, without waiting.
 *       If another transaction holds the key, the write fails with SQLSTATE 55P03. If the key is free, transactions
 *       that lock the row wait for the writer. Therefore even with {@link LockStrategy#ADVISORY}, a writer that does
 *       not lock cannot cause a lost update.
 * </ul>
 *
 * <p>{@link #schemaSql()} returns SQL that creates the schema {@code rowlock}. In a migration, for example, the owner
 * of a table then calls the SQL functions {@code rowlock.install_guard} and {@code rowlock.install_audit}. The
 * functions {@code remove_guard} and {@code remove_audit} undo the installation. None of these functions needs a
 * superuser, and all of them can be called again. The views {@code guards}, {@code audits} and {@code stray_writers}
 * show the installed guards and audits, and the recorded writers. The documentation lists <a
 * href="https://github.com/rowlock/rowlock/blob/main/docs/guard.md#guard">the cases that the guard does not cover</a>.
 */
public final class RowLockGuard {
    /** The version that the SQL function {@code rowlock.version()} returns if the installed SQL is current. */
    private static final int GUARD_VERSION = 2;

    private static final int KEY_VERSION = 1;

    private static final String STATE = "select case when not g.enabled then 'DISABLED' when g.current and v.guard = "
            + GUARD_VERSION + " and v.key = " + KEY_VERSION + " then 'CURRENT' else 'OUTDATED' end"
            + " from rowlock.guards as g cross join rowlock.version() as v"
            + " where g.relation = rowlock.root(cast(cast(? as text) as regclass))";

    private RowLockGuard() {}

    /**
     * {@return the SQL that creates or renews the schema {@code rowlock}: functions, views and the audit's table} Run
     * the SQL in one transaction. The SQL can be run again.
     */
    public static String schemaSql() {
        return file("keys.sql") + '\n' + file("guard.sql") + '\n' + file("audit.sql");
    }

    private static String file(String name) {
        try (InputStream in = RowLockGuard.class.getResourceAsStream(name)) {
            Objects.requireNonNull(
                    in, () -> "The jar of lock-guard has no " + name + "; was it repackaged without it?");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The jar of lock-guard cannot be read", e);
        }
    }

    /**
     * Returns the state of a table's guard. Any role may call this method. The method only reads, and works in
     * autocommit and in every transaction that is not aborted.
     *
     * @param connection any connection to the database; not closed
     * @param table the table, as in SQL; for a partition, the method returns the state of the root table
     * @return the state
     * @throws SQLException if the schema {@code rowlock} is installed and the table does not exist, or if the catalog
     *     cannot be read
     */
    public static GuardState stateOf(Connection connection, String table) throws SQLException {
        try (Statement look = connection.createStatement();
                ResultSet installed = look.executeQuery("select to_regclass('rowlock.guards') is not null")) {
            if (!installed.next() || !installed.getBoolean(1)) {
                return GuardState.MISSING;
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(STATE)) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? GuardState.valueOf(row.getString(1)) : GuardState.MISSING;
            }
        }
    }
}
