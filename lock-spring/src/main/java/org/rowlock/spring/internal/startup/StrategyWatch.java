package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockStrategy;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.value.KeyWithoutRow;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Detects that one instance locks a table with {@link LockStrategy#ROW} while another instance uses {@link
 * LockStrategy#ADVISORY}, in which case the instances do not exclude each other. Each instance sets a mark in the
 * database and reads the marks of the other instances. An instance does so at startup, with each later verification,
 * and after the connection with its own mark was closed. Only instances with lock-spring set marks. Each check borrows
 * a connection from the pool. Between the checks, this class sends nothing to the server. Thread-safe.
 *
 * <p>A mark is a shared advisory lock of a session, on a connection of the pool. The key of a mark is a pair of
 * numbers: a number for the strategy, and the oid of the table. BOTH excludes the other two strategies, and therefore
 * needs no mark. An instance of this class has the marks of one database. The marks are lost when their connection
 * closes, and are then set on another connection.
 */
public final class StrategyWatch {
    private static final Log LOG = LogFactory.getLog(StrategyWatch.class);

    /**
     * The first number of the key of a mark, for each strategy. In the keys of rows, the first number is the oid of a
     * table.
     */
    private static final int OF_ROW = 0x726f7752;

    private static final int OF_ADVISORY = 0x726f7741;

    /** An item of a FROM clause: the given tables that exist. */
    private static final String TABLES = """
             (select name, strategy, root
              from (select name, strategy, %s::int4 as root
                    from unnest(?::text[], ?::text[]) as given(name, strategy) offset 0) as found
              where root is not null) as t
            """.formatted(CatalogSql.root("to_regclass(name)"));

    private static final String WORD = "case t.strategy when 'ROW' then %d else %d end";
    private static final String OWN = WORD.formatted(OF_ROW, OF_ADVISORY);

    /** The condition that a lock l is a mark on a table t. */
    private static final String IS_WORD = """
            l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.mode = 'ShareLock'
            and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
            and l.objid::int4 = t.root and l.classid::int4 =\s""";

    /**
     * Sets the marks. Marks are acquired only in shared mode, so no session waits for a mark. The result is null if
     * the mark already exists. The result is false on a standby, and behind a pooler that does not keep session
     * locks with this connection.
     */
    private static final String LEAVE =
            "select case when exists (select from pg_catalog.pg_locks as l where l.pid = ? and " + IS_WORD + OWN
                    + ") then null when pg_backend_pid() = ? and not pg_is_in_recovery()"
                    + " then pg_try_advisory_lock_shared(" + OWN + ", t.root) else false end from" + TABLES;

    private static final String TAKE_BACK = "select pg_advisory_unlock_shared(" + OWN + ", t.root) from" + TABLES;

    /** The query for instances that must not run at the same time as this instance. */
    private static final String OTHERS = """
            select format('The table %%s is locked with strategy %%s here, and with %%s by another instance (server'
                || ' process %%s, application ''%%s'', from %%s): the two do not exclude each other, and updates'
                || ' are lost.', t.name, t.strategy, case t.strategy when 'ROW' then 'ADVISORY' else 'ROW' end,
                l.pid, a.application_name, coalesce(host(a.client_addr), 'a local socket'))
            from %s join pg_catalog.pg_locks as l on %s
                left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            order by l.pid
            """.formatted(TABLES, IS_WORD + WORD.formatted(OF_ADVISORY, OF_ROW));

    private static final long MOST_MILLIS_AT_END = 1_000;

    private final DataSource pool;

    /** Two arrays: the names of the tables, and their strategies. */
    private final Object[] tables;

    /** The connection on which the marks were last set. */
    private @Nullable Connection session;

    private int pid;

    private boolean isOver;

    private volatile List<String> conflicts = List.of();

    /** @param strategies the strategies of the marked tables, each of them ROW or ADVISORY */
    StrategyWatch(DataSource pool, Map<String, LockStrategy> strategies) {
        this.pool = pool;
        this.tables = new Object[] {
            strategies.keySet().toArray(String[]::new),
            strategies.values().stream().map(Enum::name).toArray(String[]::new)
        };
    }

    /**
     * Returns the conflicts that the last check found: one sentence for each table and conflicting session.
     */
    List<String> conflicts() {
        return conflicts;
    }

    public static boolean isWord(LockInspector.Line line) {
        return line.isShared()
                && line.key() instanceof KeyWithoutRow.RawPair pair
                && (pair.first() == OF_ROW || pair.first() == OF_ADVISORY);
    }

    /** Runs the check if it is due, or if the connection with the marks has closed. */
    synchronized void look(boolean isDue) {
        try {
            if (!isOver && (isDue || (session != null && session.isClosed()))) {
                look();
            }
        } catch (SQLException | DataAccessException e) {
            LOG.warn("The strategies of other instances cannot be read just now: " + e.getMessage());
        }
    }

    private void look() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            // The wrapper of lock-jdbc is bypassed, because the wrapper would treat the mark as a session lock of
            // the application.
            Connection server = (Connection) connection.unwrap(PGConnection.class);
            try {
                look(server, new JdbcTemplate(new SingleConnectionDataSource(server, true)));
            } finally {
                if (!server.getAutoCommit()) {
                    server.rollback();
                }
            }
        }
        if (session != null && session.isClosed()) {
            giveUp("no connection of " + pool + " stays open");
        }
    }

    private void look(Connection server, JdbcTemplate jdbc) throws SQLException {
        int here = server.unwrap(PGConnection.class).getBackendPID();
        List<Boolean> left = jdbc.queryForList(LEAVE, Boolean.class, pid, here, tables[0], tables[1]);
        if (left.contains(true)) {
            session = server;
            pid = here;
        }
        if (left.contains(false)) {
            giveUp("the server is a standby, or behind a pooler, so session locks cannot be kept there");
        }
        List<String> found = jdbc.queryForList(OTHERS, String.class, tables);
        if (!found.equals(conflicts)) {
            found.forEach(LOG::error);
        }
        conflicts = found;
    }

    private void giveUp(String why) {
        isOver = true;
        LOG.info("The strategies of other instances are not watched: " + why);
    }

    /**
     * Removes the marks, because the pool may outlive the application. The connection with the marks may be in use, and
     * the driver runs one statement at a time. The end of the application therefore waits for at most a second. The
     * marks are removed when the statement has ended.
     */
    void close() {
        Thread remover = new Thread(this::takeBack, "rowlock-marks");
        remover.setDaemon(true);
        remover.start();
        try {
            remover.join(MOST_MILLIS_AT_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void takeBack() {
        isOver = true;
        try {
            if (session != null && !session.isClosed()) {
                new JdbcTemplate(new SingleConnectionDataSource(session, true))
                        .queryForList(TAKE_BACK, Boolean.class, tables);
            }
        } catch (SQLException | DataAccessException e) {
            LOG.debug("The marks of strategies are lost with their connection", e);
        }
    }
}
