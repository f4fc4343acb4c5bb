package org.rowlock.spring.internal.startup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Tries now and then what was proven at startup, for as long as the application runs, and logs what is refused. */
public final class VerificationSchedule implements DisposableBean {
    private static final Log LOG = LogFactory.getLog(VerificationSchedule.class);

    private final RowLocks locks;
    private final ConfigurableBeanFactory beans;
    private final List<Runnable> running = new ArrayList<>();

    public VerificationSchedule(RowLocks locks, ConfigurableBeanFactory beans) {
        this.locks = locks;
        this.beans = beans;
    }

    synchronized void start(List<DataSource> dataSources) {
        Duration every = DurationFormatterUtils.detectAndParse(
                String.valueOf(beans.resolveEmbeddedValue("${rowlock.verify-every:10m}")));
        if (every.isZero() || every.isNegative()) {
            return;
        }
        for (DataSource dataSource : dataSources) {
            running.add(locks.verifyEvery(dataSource, every, VerificationSchedule::log));
        }
    }

    private static void log(RowlockException refused) {
        if (refused instanceof LockVerificationException) {
            LOG.error("Locks do not exclude any more as they did at startup, and updates are lost. "
                    + refused.getMessage());
        } else {
            LOG.warn("Locks could be taken at startup, and are refused now: " + refused.getMessage());
        }
    }

    @Override
    public synchronized void destroy() {
        running.forEach(Runnable::run);
    }
}
