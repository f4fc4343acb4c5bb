package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A timeout for each answer of the server, until the object is closed. A shorter timeout stays in force. The timeout is
 * set on the driver's connection, so the pool does not notice the timeout, and does not reset it.
 */
public final class SocketBound implements AutoCloseable {
    private final Connection driver;
    private final int before;

    public SocketBound(PgSession session, long millis) throws SQLException {
        this.driver = session.driver();
        this.before = driver.getNetworkTimeout();
        if (before == 0 || before > millis) {
            driver.setNetworkTimeout(Runnable::run, (int) Math.min(Integer.MAX_VALUE, millis));
        }
    }

    @Override
    public void close() throws SQLException {
        if (!driver.isClosed()) {
            driver.setNetworkTimeout(Runnable::run, before);
        }
    }
}
