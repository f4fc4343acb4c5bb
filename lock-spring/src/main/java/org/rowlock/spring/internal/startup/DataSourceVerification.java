package org.rowlock.spring.internal.startup;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.rowlock.LockTransactionException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.pool.Pools;
import org.rowlock.spring.internal.pool.Routes;
import org.springframework.core.NestedExceptionUtils;

/** Verifies that the locks of a DataSource, or of each route of a routing DataSource, exclude each other. */
record DataSourceVerification(RowLocks locks) {
    private static final Log LOG = LogFactory.getLog(DataSourceVerification.class);

    /**
     * Verifies a DataSource, or each route of a routing DataSource. The first route must have the tables and pass the
     * check. The other routes may be read-only or unreachable. The check fails if another route is writable, but its
     * locks do not exclude each other or cannot be verified.
     *
     * @return the DataSource, or its first route, which is the default route if there is one
     */
    DataSource verify(DataSource dataSource) {
        Map<String, DataSource> routes = Routes.of(dataSource);
        DataSource first = routes.values().stream().findFirst().orElse(dataSource);
        prove(first);
        routes.values().removeIf(first::equals);
        routes.forEach(this::proveOther);
        return first;
    }

    private void proveOther(String name, DataSource route) {
        try {
            prove(route);
        } catch (LockTransactionException e) {
            LOG.info("In the route " + name + " of the routing DataSource locks are refused: " + e.getMessage());
        } catch (LockVerificationException e) {
            throw new RowLockDefinitionException(
                    "In the route " + name + " of the routing DataSource locks "
                            + (e.isRetryable() ? "could not be verified. " : "do not exclude each other. ")
                            + e.getMessage(),
                    "Correct the server of the route; if that is impossible, set rowlock.verify=false.");
        } catch (RowLockDefinitionException e) {
            LOG.warn("The route " + name + " of the routing DataSource could not be verified: " + e.getMessage());
        }
    }

    private void prove(DataSource dataSource) {
        try {
            // The check must not wait for more connections than are free in the pool, but needs at least two.
            int spare = Pools.spareOf(dataSource).orElse(Integer.MAX_VALUE);
            LockAccess.of(locks).verify(dataSource, Math.max(2, spare));
        } catch (RuntimeException e) {
            Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
            if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
                throw new RowLockDefinitionException(
                        "The database server cannot be reached, so the tables of @RowLock cannot be verified: "
                                + cause.getMessage() + ".",
                        "Start the server, or correct its address (spring.datasource.url). If the application must"
                                + " start without its database, set rowlock.verify=false.");
            }
            throw e;
        }
    }
}
