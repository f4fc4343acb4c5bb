package org.rowlock.spring.internal.pool;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
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

    /** Where a connection can be had that is none of the pool's; empty where that is not known. */
    public static Optional<DataSource> unpooled(DataSource dataSource) {
        DataSource target = target(dataSource);
        if (target instanceof PGSimpleDataSource
                || (target instanceof AbstractDriverBasedDataSource simple && simple.getUrl() != null)) {
            return Optional.of(target);
        }
        return HIKARI ? Hikari.unpooled(target) : Optional.empty();
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

        static Optional<DataSource> unpooled(DataSource dataSource) {
            HikariDataSource pool = poolOf(dataSource);
            if (pool == null) {
                return Optional.empty();
            }
            String first = pool.getConnectionInitSql();
            Optional<DataSource> plain =
                    pool.getDataSource() == null ? driver(pool) : Pools.unpooled(pool.getDataSource());
            return first == null ? plain : plain.map(source -> new Initialized(source, first));
        }

        private static Optional<DataSource> driver(HikariDataSource pool) {
            if (pool.getJdbcUrl() == null) {
                return Optional.empty();
            }
            DriverManagerDataSource simple = new DriverManagerDataSource(pool.getJdbcUrl());
            Properties properties = new Properties();
            properties.putAll(pool.getDataSourceProperties());
            simple.setConnectionProperties(properties);
            simple.setUsername(pool.getUsername());
            simple.setPassword(pool.getPassword());
            simple.setSchema(pool.getSchema());
            return Optional.of(simple);
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

    /** As the pool does it: what names mean may depend on it. */
    private static final class Initialized extends DelegatingDataSource {
        private final String sql;

        Initialized(DataSource plain, String sql) {
            super(plain);
            this.sql = sql;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
                return connection;
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        }
    }
}
