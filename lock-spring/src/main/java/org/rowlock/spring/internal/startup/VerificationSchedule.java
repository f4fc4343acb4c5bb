package org.rowlock.spring.internal.startup;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Tries now and then what was proven at startup, for as long as the application runs, and logs what is refused. */
public final class VerificationSchedule implements DisposableBean {
    private static final Log LOG = LogFactory.getLog(VerificationSchedule.class);

    private final RowLocks locks;
    private final StrategyWatch watch;
    private final ConfigurableBeanFactory beans;
    private @Nullable ThreadPoolTaskScheduler scheduler;

    public VerificationSchedule(RowLocks locks, StrategyWatch watch, ConfigurableBeanFactory beans) {
        this.locks = locks;
        this.watch = watch;
        this.beans = beans;
    }

    public synchronized void start(List<DataSource> dataSources) {
        Duration every = DurationFormatterUtils.detectAndParse(
                String.valueOf(beans.resolveEmbeddedValue("${rowlock.verify-every:10m}")));
        if (every.isZero() || every.isNegative()) {
            return;
        }
        if (scheduler == null) {
            scheduler = new ThreadPoolTaskScheduler();
            scheduler.setDaemon(true);
            scheduler.setThreadNamePrefix("rowlock-verification-");
            scheduler.initialize();
        }
        for (DataSource dataSource : dataSources) {
            var unused = scheduler.scheduleWithFixedDelay(
                    () -> verify(dataSource), Instant.now().plus(every), every);
        }
    }

    private void verify(DataSource dataSource) {
        try {
            locks.verify(dataSource);
            watch.look(dataSource);
        } catch (LockVerificationException e) {
            if (e.isConclusive()) {
                LOG.error("Locks do not exclude any more as they did at startup, and updates are lost. "
                        + e.getMessage());
            } else {
                LOG.debug("Locks could not be verified just now", e);
            }
        } catch (RowlockException e) {
            LOG.warn("Locks could be taken at startup, and are refused now: " + e.getMessage());
        }
    }

    @Override
    public synchronized void destroy() {
        if (scheduler != null) {
            scheduler.destroy();
        }
    }
}
