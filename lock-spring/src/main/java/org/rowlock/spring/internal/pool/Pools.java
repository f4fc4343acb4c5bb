package org.rowlock.spring.internal.pool;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/** What is known of connection pools. */
public final class Pools {
    /** HikariCP's default. */
    private static final Duration USUAL = Duration.ofSeconds(30);

    /** HikariCP's default. */
    private static final int USUAL_SIZE = 10;

    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", Pools.class.getClassLoader());

    private Pools() {}

    /** How long an application is willing to wait for a connection, and so for its turn before it borrows one. */
    public static Duration timeoutOf(DataSource dataSource) {
        return HIKARI ? Hikari.timeoutOf(target(dataSource)) : USUAL;
    }

    /** How many connections can be had at once now; empty where that is not known. */
    public static OptionalInt spareOf(DataSource dataSource) {
        return HIKARI ? Hikari.spareOf(target(dataSource)) : OptionalInt.empty();
    }

    /** What transaction managers bind. */
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

    /** Apart, as the class need not be there. */
    private static final class Hikari {
        static Duration timeoutOf(DataSource dataSource) {
            HikariDataSource pool = poolOf(dataSource);
            return pool == null ? USUAL : Duration.ofMillis(pool.getConnectionTimeout());
        }

        static OptionalInt spareOf(DataSource dataSource) {
            HikariDataSource pool = poolOf(dataSource);
            if (pool == null) {
                return OptionalInt.empty();
            }
            int size = pool.getMaximumPoolSize();
            HikariPoolMXBean begun = pool.getHikariPoolMXBean();
            // A pool that has not begun takes its default when it does.
            return OptionalInt.of((size < 1 ? USUAL_SIZE : size) - (begun == null ? 0 : begun.getActiveConnections()));
        }

        private static @Nullable HikariDataSource poolOf(DataSource dataSource) {
            try {
                return dataSource.isWrapperFor(HikariDataSource.class)
                        ? dataSource.unwrap(HikariDataSource.class)
                        : null;
            } catch (SQLException | RuntimeException e) {
                return null;
            }
        }
    }
}
