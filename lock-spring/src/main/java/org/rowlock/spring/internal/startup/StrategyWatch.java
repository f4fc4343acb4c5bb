package org.rowlock.spring.internal.startup;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Sees instances that run {@link LockStrategy#ROW} beside others that run {@link LockStrategy#ADVISORY} on a table,
 * which do not exclude each other: at startup, and every few seconds from then on. Takes a connection of its own in
 * each database, beside the pool. It sees what other instances of lock-spring have left word of, and nothing else.
 * Thread-safe.
 */
public final class StrategyWatch implements DisposableBean {
    private static final Log LOG = LogFactory.getLog(StrategyWatch.class);
    private static final Duration EVERY = Duration.ofSeconds(5);

    private final ConfigurableBeanFactory beans;
    private final List<Word> words = new CopyOnWriteArrayList<>();
    private final ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();

    public StrategyWatch(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /** Leaves word of strategies, and refuses to run beside others, if that is configured. */
    void start(DataSource dataSource, Map<String, LockStrategy> strategies) {
        Reaction reaction =
                Reaction.valueOf(String.valueOf(beans.resolveEmbeddedValue("${rowlock.strategy-conflict:fail}"))
                        .toUpperCase(Locale.ROOT));
        if (strategies.isEmpty() || reaction == Reaction.IGNORE) {
            return;
        }
        DataSource unpooled = Pools.unpooled(dataSource).orElse(null);
        if (unpooled == null) {
            LOG.info("The strategies of other instances are not watched: of " + dataSource
                    + " no connection can be had beside the pool");
            return;
        }
        Word word = new Word(dataSource, unpooled, strategies);
        words.add(word);
        word.look();
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
            var unused = thread.scheduleWithFixedDelay(() -> words.forEach(Word::look), EVERY);
        }
    }

    /** The instances that run beside this one and must not, as they were seen last; a sentence each. */
    public List<String> conflicts() {
        return words.stream().flatMap(word -> word.conflicts.stream()).toList();
    }

    /** Whether a lock is the word of an instance on one of this instance's tables, and locks nothing. */
    public boolean isWord(LockInspector.Line line) {
        return line.isShared()
                && !line.isPair()
                && words.stream().anyMatch(word -> word.keys.contains(line.first() << 32 | line.second()));
    }

    @Override
    public void destroy() {
        thread.destroy();
        words.forEach(Word::close);
    }

    /**
     * The word that this instance leaves of its strategies in one database: a shared advisory lock of a session for
     * each table of ROW and ADVISORY, on a key that nothing else uses. BOTH excludes everybody, and so has nothing to
     * say.
     */
    private static final class Word {
        private static final String ROOTS =
                "select array_agg(" + CatalogSql.root("to_regclass(name)") + "::int8) from unnest(?::text[]) as name";

        /** An item of FROM: the tables that are there, each with the words that can be left on it. */
        private static final String TABLES = """
                 (select name, strategy, %s as row_key, %s as advisory_key
                  from unnest(?::text[], ?::text[], ?::bigint[]) as given(name, strategy, root)
                  where root is not null) as t
                """.formatted(key("ROW"), key("ADVISORY"));

        private static final String KEYS =
                "select key from" + TABLES + "cross join lateral (values (row_key), (advisory_key)) as keys(key)";

        /**
         * Nobody takes these locks but in shared mode, so nobody waits for them. False where locks of a session do not
         * stay with this connection: behind a pooler, and on a standby.
         */
        private static final String LEAVE = "select case when pg_backend_pid() = ? and not pg_is_in_recovery() then"
                + " pg_try_advisory_lock_shared(case strategy when 'ROW' then row_key else advisory_key end)"
                + " else false end from" + TABLES + "where strategy <> 'BOTH'";

        /** Those that must not run beside this instance. */
        private static final String OTHERS = """
                select format('The table %%s is locked with strategy %%s here, and with %%s by another instance (server'
                    || ' process %%s, application ''%%s'', from %%s): the two do not exclude each other, and updates'
                    || ' are lost.', t.name, t.strategy, case t.strategy when 'ROW' then 'ADVISORY' else 'ROW' end,
                    l.pid, a.application_name, coalesce(host(a.client_addr), 'a local socket'))
                from %s join pg_catalog.pg_locks as l on (l.classid::int8 << 32) | l.objid::int8
                      = case t.strategy when 'ROW' then t.advisory_key else t.row_key end
                    left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
                where t.strategy <> 'BOTH'
                  and l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.mode = 'ShareLock'
                  and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
                order by l.pid
                """.formatted(TABLES);

        private final DataSource pool;
        private final DataSource unpooled;

        /** The names, the strategies and, when they are known, the roots of the tables, each an array. */
        private final Object[] tables;

        private @Nullable SingleConnectionDataSource session;
        private boolean isOver;

        /** Of the words on the tables, by whatever instance. */
        private volatile Set<Long> keys = Set.of();

        /** With other instances, a sentence each. */
        private volatile List<String> conflicts = List.of();

        /** Names of tables mean what they do on the pool's connections; the word is left on one beside them. */
        Word(DataSource pool, DataSource unpooled, Map<String, LockStrategy> strategies) {
            this.pool = pool;
            this.unpooled = unpooled;
            this.tables = new Object[] {
                strategies.keySet().toArray(String[]::new),
                strategies.values().stream().map(Enum::name).toArray(String[]::new),
                new Long[0]
            };
        }

        private static String key(String strategy) {
            return CatalogSql.hash("'rowlock strategy ' || root || ' " + strategy + "'");
        }

        /** Looks for the words of others; leaves its own, if it is not there. */
        synchronized void look() {
            if (isOver) {
                return;
            }
            try {
                List<String> found =
                        session != null || leave() ? jdbc().queryForList(OTHERS, String.class, tables) : List.of();
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
            tables[2] = new JdbcTemplate(pool)
                    .query(ROOTS, (row, number) -> row.getArray(1).getArray(), tables[0])
                    .get(0);
            session = new SingleConnectionDataSource(unpooled.getConnection(), true);
            keys = Set.copyOf(jdbc().queryForList(KEYS, Long.class, tables));
            int pid = session.getConnection().unwrap(PGConnection.class).getBackendPID();
            List<Boolean> left = jdbc().queryForList(LEAVE, Boolean.class, pid, tables[0], tables[1], tables[2]);
            isOver = left.isEmpty() || left.contains(false);
            if (isOver) {
                end();
            }
            if (left.contains(false)) {
                LOG.info("The strategies of other instances are not watched: there is a pooler in front of the server,"
                        + " or it is a standby, and locks of a session cannot be left there");
            }
            return !isOver;
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

        synchronized void close() {
            isOver = true;
            end();
        }
    }
}
