package org.rowlock.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Captures the messages of a logger, so that they are not printed. Rowlock logs by System.Logger, which uses
 * java.util.logging by default.
 */
public final class CapturedLog implements AutoCloseable {
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Logger logger;

    private CapturedLog(Logger logger) {
        this.logger = logger;
    }

    public static CapturedLog of(String name) {
        CapturedLog log = new CapturedLog(Logger.getLogger(name));
        log.logger.setFilter(logged -> {
            log.records.add(logged);
            return false;
        });
        return log;
    }

    public List<LogRecord> records() {
        return records;
    }

    @Override
    public void close() {
        logger.setFilter(null);
    }
}
