package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.spring.internal.pool.Pools;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Transactional;

/**
 * Checks that the verification at startup borrows only free connections of the pool, and does not wait for more
 * connections.
 */
class PoolSizeTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0);

    static class Service {
        @Transactional
        public void run(@RowLock("account") long id) {}
    }

    /** Counts the requests for a connection while all connections are borrowed. */
    private static final class Counted extends HikariDataSource {
        int mostBorrowed;
        int inVain;

        Counted(HikariConfig config) {
            super(config);
        }

        @Override
        public Connection getConnection() throws SQLException {
            HikariPoolMXBean pool = getHikariPoolMXBean();
            if (pool.getActiveConnections() == getMaximumPoolSize()) {
                inVain++;
            }
            Connection connection = super.getConnection();
            mostBorrowed = Math.max(mostBorrowed, pool.getActiveConnections());
            return connection;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 16, 20})
    void noMoreIsAskedOfAPoolThanItHas(int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        try (Counted pool = new Counted(config);
                var context = Contexts.start(database, pool, Service.class)) {
            assertThat(context.getBean(Service.class)).isNotNull();
            assertThat(pool.inVain).isZero();
            assertThat(pool.mostBorrowed).isEqualTo(Math.min(size, 16));
        }
    }

    @Test
    void whatIsLentIsNotToSpare() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection lent = pool.getConnection()) {
            assertThat(lent.isClosed()).isFalse();
            assertThat(Pools.spareOf(pool)).hasValue(3);
        }
    }

    /** A pool that Spring Boot creates has no size before its first connection. */
    @Test
    void aPoolThatHasNotBegunTakesItsDefault() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            assertThat(Pools.spareOf(pool)).hasValue(10);
            assertThat(pool.isRunning()).isFalse();
        }
    }
}
