package org.rowlock.examples.demo;

import java.time.Duration;

/**
 * One variant in one round.
 *
 * @param log what the clients wrote down
 * @param elapsed from the common start until the last client was done
 * @param counters what the server used up meanwhile
 * @param money how the accounts compare with the log
 */
record Slice(ClientLog log, Duration elapsed, DemoCounters counters, MoneyCheck money) {
    double perSecond() {
        return log.transfers() / (elapsed.toNanos() / 1e9);
    }
}
