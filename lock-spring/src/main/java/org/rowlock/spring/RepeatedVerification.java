package org.rowlock.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Tries now and then what was proven at startup, as a name, a pooler or a splitter may lead elsewhere by then. On a thread
 * of its own, so that no lock waits for it.
 */
final class RepeatedVerification implements DisposableBean {
    private static final Log LOG = LogFactory.getLog(RepeatedVerification.class);

    /** No more than it takes: calls need the pool. */
    private static final int CONNECTIONS = 2;

    private final RowLocks locks;
    private final ConfigurableBeanFactory beans;
    private final List<DataSource> proven = new CopyOnWriteArrayList<>();
    private @Nullable ScheduledExecutorService thread;

    RepeatedVerification(RowLocks locks, ConfigurableBeanFactory beans) {
        this.locks = locks;
        this.beans = beans;
    }

    /** From now on, for as long as the application runs. */
    synchronized void start(List<DataSource> dataSources) {
        Duration every = DurationFormatterUtils.detectAndParse(
                String.valueOf(beans.resolveEmbeddedValue("${rowlock.verify-every:10m}")));
        proven.addAll(dataSources);
        if (every.isZero() || every.isNegative() || thread != null) {
            return;
        }
        thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, "rowlock-verification");
            daemon.setDaemon(true);
            return daemon;
        });
        var unused = thread.scheduleWithFixedDelay(
                () -> proven.forEach(this::look), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look(DataSource dataSource) {
        try {
            locks.verify(dataSource, CONNECTIONS);
        } catch (LockVerificationException e) {
            if (e.isConclusive()) {
                LOG.error("Locks do not exclude any more as they did at startup, and updates are lost. "
                        + e.getMessage());
            } else {
                LOG.debug("Locks could not be verified just now", e);
            }
        } catch (LockException e) {
            LOG.warn("Locks could be taken at startup, and are refused now: " + e.getMessage());
        } catch (RuntimeException e) {
            // A thread that throws is never run again.
            LOG.debug("Locks could not be verified just now", e);
        }
    }

    @Override
    public synchronized void destroy() {
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
