package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockStrategy;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Detects instances that run {@link LockStrategy#ROW} beside others that run {@link LockStrategy#ADVISORY} on a table,
 * which do not exclude each other. It checks at startup, with each later verification, and when its own mark was lost.
 * It sees only the marks of other instances of lock-spring. It has no connection of its own, and sends nothing to the
 * server between its checks. Thread-safe.
 *
 * <p>A mark is a shared advisory lock of the session of some connection of the pool, on a pair of numbers: one for the
 * strategy, and the oid of the table. BOTH excludes all others, and therefore needs no mark.
 */
public final class StrategyWatch implements DisposableBean {
    private static final Log LOG = LogFactory.getLog(StrategyWatch.class);

    /** The interval of checks of the driver's connection, which send nothing to the server. */
    private static final Duration IS_THERE_EVERY = Duration.ofSeconds(5);

    /** The first numbers of the marks. Other locks of Rowlock have the oid of a table there. */
    private static final int OF_ROW = 0x726f7752;

    private static final int OF_ADVISORY = 0x726f7741;

    private final List<Word> words = new CopyOnWriteArrayList<>();
    private final ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();

    /**
     * Sets the marks of strategies, and refuses to run beside conflicting instances, if that is configured.
     *
     * @param every the interval of later checks; zero for none
     * @param reaction the reaction to conflicting instances that run now
     */
    void start(DataSource dataSource, Map<String, LockStrategy> strategies, Duration every, Reaction reaction) {
        Map<String, LockStrategy> told = new TreeMap<>(strategies);
        told.values().removeIf(strategy -> strategy == LockStrategy.BOTH);
        if (told.isEmpty() || reaction == Reaction.IGNORE) {
            return;
        }
        Word word = new Word(dataSource, told);
        words.add(word);
        word.look(true);
        if (!word.conflicts.isEmpty() && reaction == Reaction.FAIL) {
            throw new RowLockDefinitionException(
                    String.join(" ", word.conflicts),
                    "Go from ROW to ADVISORY, and back, by way of BOTH: let all instances run BOTH first. If that"
                            + " instance is gone and only its session is left, end it with pg_terminate_backend; or set"
                            + " rowlock.strategy-conflict=warn.");
        }
        if (words.size() == 1) {
            thread.setDaemon(true);
            thread.setThreadNamePrefix("rowlock-strategies-");
            thread.initialize();
            var unused = thread.scheduleWithFixedDelay(() -> look(false), IS_THERE_EVERY);
            if (every.toNanos() > 0) {
                var unusedToo = thread.scheduleWithFixedDelay(
                        () -> look(true), Instant.now().plus(every), every);
            }
        }
    }

    private void look(boolean isDue) {
        words.forEach(each -> each.look(isDue));
    }

    /** Returns a sentence for each instance whose configuration conflicted with this one's in the last check. */
    public List<String> conflicts() {
        return words.stream().flatMap(word -> word.conflicts.stream()).toList();
    }

    /** Whether a lock is the mark of an instance, and locks nothing. */
    public static boolean isWord(LockInspector.Line line) {
        return line.isShared() && line.isPair() && (line.first() == OF_ROW || line.first() == OF_ADVISORY);
    }

    @Override
    public void destroy() {
        thread.destroy();
        words.forEach(Word::close);
    }

    /** The mark that this instance leaves in one database. It is lost with its connection, and then set on another. */
    private static final class Word {
        /** An item of FROM: the existing tables. */
        private static final String TABLES = """
                 (select name, strategy, root
                  from (select name, strategy, %s::int4 as root
                        from unnest(?::text[], ?::text[]) as given(name, strategy) offset 0) as found
                  where root is not null) as t
                """.formatted(CatalogSql.root("to_regclass(name)"));

        private static final String WORD = "case t.strategy when 'ROW' then %d else %d end";
        private static final String OWN = WORD.formatted(OF_ROW, OF_ADVISORY);

        /** A condition on a lock l: it is a mark on a table t. */
        private static final String IS_WORD = """
                l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.mode = 'ShareLock'
                and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
                and l.objid::int4 = t.root and l.classid::int4 =\s""";

        /**
         * Sets the mark. These locks are only taken in shared mode, so no session waits for them. The result is false
         * if locks of a session do not stay with this connection: behind a pooler, and on a standby. It is null if the
         * mark already exists.
         */
        private static final String LEAVE =
                "select case when exists (select from pg_catalog.pg_locks as l where l.pid = ? and " + IS_WORD + OWN
                        + ") then null when pg_backend_pid() = ? and not pg_is_in_recovery()"
                        + " then pg_try_advisory_lock_shared(" + OWN + ", t.root) else false end from" + TABLES;

        private static final String TAKE_BACK = "select pg_advisory_unlock_shared(" + OWN + ", t.root) from" + TABLES;

        /** Finds the instances that must not run beside this one. */
        private static final String OTHERS = """
                select format('The table %%s is locked with strategy %%s here, and with %%s by another instance (server'
                    || ' process %%s, application ''%%s'', from %%s): the two do not exclude each other, and updates'
                    || ' are lost.', t.name, t.strategy, case t.strategy when 'ROW' then 'ADVISORY' else 'ROW' end,
                    l.pid, a.application_name, coalesce(host(a.client_addr), 'a local socket'))
                from %s join pg_catalog.pg_locks as l on %s
                    left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
                order by l.pid
                """.formatted(TABLES, IS_WORD + WORD.formatted(OF_ADVISORY, OF_ROW));

        private final DataSource pool;

        /** The names and the strategies of the tables, each an array. */
        private final Object[] tables;

        /** The session of a connection of the pool, where the mark was last set. */
        private @Nullable Connection session;

        private int pid;

        private boolean isOver;

        /** The conflicts with other instances, a sentence each. */
        private volatile List<String> conflicts = List.of();

        /** Creates a mark. Names of tables are resolved on the pool's connections. */
        Word(DataSource pool, Map<String, LockStrategy> strategies) {
            this.pool = pool;
            this.tables = new Object[] {
                strategies.keySet().toArray(String[]::new),
                strategies.values().stream().map(Enum::name).toArray(String[]::new)
            };
        }

        /** Runs the check when it is due, or when the connection that had the mark is gone. */
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
                // The wrapper is bypassed, because it would mistake a lock of the session for one of the application.
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
                giveUp("there is a pooler in front of the server, or it is a standby, and locks of a session cannot be"
                        + " left there");
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

        /** Removes the mark, because the pool may outlive the application. */
        synchronized void close() {
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
}
