package org.rowlock.spring.internal.startup;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.rowlock.LockInspector;
import org.rowlock.LockStrategy;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
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
    private final List<StrategyWord> words = new CopyOnWriteArrayList<>();
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
        StrategyWord word = new StrategyWord(dataSource, unpooled, strategies);
        words.add(word);
        word.look();
        if (!word.conflicts().isEmpty() && reaction == Reaction.FAIL) {
            throw new RowLockDefinitionException(
                    String.join(" ", word.conflicts()),
                    "Go from ROW to ADVISORY, and back, by way of BOTH: let all instances run BOTH first. If that"
                            + " instance is gone and only its session is left, end it with pg_terminate_backend; or set"
                            + " rowlock.strategy-conflict=warn.");
        }
        if (words.size() == 1) {
            thread.setDaemon(true);
            thread.setThreadNamePrefix("rowlock-strategies-");
            thread.initialize();
            var unused = thread.scheduleWithFixedDelay(() -> words.forEach(StrategyWord::look), EVERY);
        }
    }

    /** The instances that run beside this one and must not, as they were seen last; a sentence each. */
    public List<String> conflicts() {
        return words.stream().flatMap(word -> word.conflicts().stream()).toList();
    }

    /** Whether a lock is the word of an instance on one of this instance's tables, and locks nothing. */
    public boolean isWord(LockInspector.Line line) {
        return line.isShared()
                && !line.isPair()
                && words.stream().anyMatch(word -> word.isOn(line.first() << 32 | line.second()));
    }

    @Override
    public void destroy() {
        thread.destroy();
        words.forEach(StrategyWord::close);
    }
}
