package org.rowlock.spring.internal.pool;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/** Reads the settings of connection pools. */
public final class Pools {
    /** The default connection timeout of HikariCP. */
    private static final Duration USUAL = Duration.ofSeconds(30);

    /** The default pool size of HikariCP. */
    private static final int USUAL_SIZE = 10;

    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", Pools.class.getClassLoader());

    private Pools() {}

    /**
     * Returns how long the pool lets a caller wait for a connection. By default, a call does not queue for longer than
     * this time.
     */
    public static Duration timeoutOf(DataSource dataSource) {
        return HIKARI
                ? Hikari.of(dataSource)
                        .map(pool -> Duration.ofMillis(pool.getConnectionTimeout()))
                        .orElse(USUAL)
                : USUAL;
    }

    /** Returns how many connections can be borrowed now; empty if the number is unknown. */
    public static Optional<Integer> spareOf(DataSource dataSource) {
        return HIKARI ? Hikari.of(dataSource).map(Hikari::spareOf) : Optional.empty();
    }

    /** Returns the DataSource under which transaction managers bind a connection. */
    public static DataSource bound(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : dataSource;
    }

    static DataSource target(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
            target = delegating.getTargetDataSource();
        }
        return target;
    }

    /** A nested class, because HikariCP may be missing. */
    private static final class Hikari {
        static Optional<HikariDataSource> of(DataSource dataSource) {
            DataSource target = target(dataSource);
            try {
                return target.isWrapperFor(HikariDataSource.class)
                        ? Optional.of(target.unwrap(HikariDataSource.class))
                        : Optional.empty();
            } catch (SQLException | RuntimeException e) {
                return Optional.empty();
            }
        }

        static int spareOf(HikariDataSource pool) {
            // A pool that has not started may not have computed its size yet.
            int size = pool.getMaximumPoolSize() < 1 ? USUAL_SIZE : pool.getMaximumPoolSize();
            HikariPoolMXBean begun = pool.getHikariPoolMXBean();
            return begun == null ? size : size - begun.getActiveConnections();
        }
    }
}
