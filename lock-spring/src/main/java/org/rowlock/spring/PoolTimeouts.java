package org.rowlock.spring;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.util.ClassUtils;

/** How long an application is willing to wait for a connection, and so for its turn before it borrows one. */
final class PoolTimeouts {
    /** HikariCP's default. */
    private static final Duration USUAL = Duration.ofSeconds(30);

    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", PoolTimeouts.class.getClassLoader());

    private PoolTimeouts() {}

    static Duration of(DataSource dataSource) {
        return HIKARI ? Hikari.timeoutOf(dataSource) : USUAL;
    }

    /** Apart, as the class need not be there. */
    private static final class Hikari {
        static Duration timeoutOf(DataSource dataSource) {
            DataSource target = dataSource;
            while (target instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
                target = delegating.getTargetDataSource();
            }
            try {
                return target.isWrapperFor(HikariDataSource.class)
                        ? Duration.ofMillis(
                                target.unwrap(HikariDataSource.class).getConnectionTimeout())
                        : USUAL;
            } catch (SQLException e) {
                return USUAL;
            }
        }
    }
}
