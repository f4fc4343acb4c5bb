package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInspector;
import org.rowlock.LockStrategy;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Sees instances that run {@link LockStrategy#ROW} beside others that run {@link LockStrategy#ADVISORY} on a table,
 * which do not exclude each other: at startup, and every few seconds from then on. Takes a connection of its own in
 * each database, beside the pool. It sees what other instances of lock-spring have left word of, and nothing else.
 * Thread-safe.
 */
public final class StrategyWatch implements DisposableBean {
    private static final Log LOG = LogFactory.getLog(StrategyWatch.class);
    private static final long SECONDS = 5;

    private final ConfigurableBeanFactory beans;
    private final List<Watched> watched = new CopyOnWriteArrayList<>();
    private @Nullable ScheduledExecutorService thread;

    /** @param beans what resolves the setting */
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
        if (strategies.isEmpty() || reaction.equalsIgnoreCase("ignore")) {
            return;
        }
        DataSource unpooled = Pools.unpooled(dataSource).orElse(null);
        if (unpooled == null) {
            LOG.info("The strategies of other instances are not watched: of " + dataSource
                    + " no connection can be had beside the pool");
            return;
        }
        Watched one = new Watched(unpooled, strategies);
        watched.add(one);
        one.look();
        if (!one.conflicts.isEmpty() && !reaction.equalsIgnoreCase("warn")) {
            throw new RowLockDefinitionException(
                    String.join(" ", one.conflicts),
                    "Go from ROW to ADVISORY, and back, by way of BOTH: let all instances run BOTH first. If that"
                            + " instance is gone and only its session is left, end it with pg_terminate_backend; or set"
                            + " rowlock.strategy-conflict=warn.");
        }
        schedule();
    }

    private synchronized void schedule() {
        if (thread == null) {
            thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread daemon = new Thread(task, "rowlock-strategies");
                daemon.setDaemon(true);
                return daemon;
            });
            var unused = thread.scheduleWithFixedDelay(
                    () -> watched.forEach(Watched::look), SECONDS, SECONDS, TimeUnit.SECONDS);
        }
    }

    /**
     * The instances that run beside this one and must not, as they were seen last.
     *
     * @return a sentence each; empty if there is none
     */
    public List<String> conflicts() {
        List<String> all = new ArrayList<>();
        watched.forEach(one -> all.addAll(one.conflicts));
        return all;
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
                && watched.stream().anyMatch(one -> one.keys.contains(line.first() << 32 | line.second()));
    }

    @Override
    public synchronized void destroy() {
        if (thread != null) {
            thread.shutdownNow();
        }
        watched.forEach(Watched::close);
    }

    /** One database. */
    private static final class Watched {
        private final DataSource unpooled;
        private final Map<String, LockStrategy> strategies;
        private @Nullable StrategyWord word;
        private boolean done;
        private boolean closed;
        private volatile List<String> conflicts = List.of();
        private volatile Set<Long> keys = Set.of();

        Watched(DataSource unpooled, Map<String, LockStrategy> strategies) {
            this.unpooled = unpooled;
            this.strategies = Map.copyOf(strategies);
        }

        synchronized void look() {
            if (done || closed) {
                return;
            }
            try {
                StrategyWord left = word == null ? leave() : word;
                word = left;
                List<String> found = left == null ? List.of() : left.conflicts();
                if (!found.equals(conflicts)) {
                    found.forEach(LOG::error);
                }
                conflicts = found;
            } catch (SQLException e) {
                LOG.warn("The strategies of other instances cannot be looked at just now: " + e.getMessage());
                closeWord();
            }
        }

        private @Nullable StrategyWord leave() throws SQLException {
            Connection connection = unpooled.getConnection();
            try {
                StrategyWord said = StrategyWord.of(connection, strategies);
                keys = said.keys();
                if (said.isNeeded() && StrategyWord.canBeLeftOn(connection)) {
                    said.leave();
                    return said;
                }
                done = true;
                if (!said.isNeeded()) {
                    connection.close();
                    return null;
                }
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            connection.close();
            LOG.info(
                    "The strategies of other instances are not watched: there is a pooler in front of the server, or it"
                            + " is a standby, and locks of a session cannot be left there");
            return null;
        }

        private void closeWord() {
            try {
                if (word != null) {
                    word.close();
                }
            } catch (SQLException e) {
                LOG.debug("The connection was gone already", e);
            }
            word = null;
        }

        synchronized void close() {
            closed = true;
            closeWord();
        }
    }
}
