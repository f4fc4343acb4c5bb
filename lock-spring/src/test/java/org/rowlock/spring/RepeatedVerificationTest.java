package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Transactional;

/** One URL leads to one server at startup, and to two some time later. */
class RepeatedVerificationTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    static class Service {
        @Transactional
        public void run(@RowLock("account") long id) {}
    }

    /** Connections to the one and the other in turn, from some time on. */
    private static final class Balanced extends DelegatingDataSource {
        private final DataSource second;
        private final AtomicInteger turn = new AtomicInteger();
        private volatile boolean on;

        Balanced(DataSource first, DataSource second) {
            super(first);
            this.second = second;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return on && turn.getAndIncrement() % 2 == 1 ? second.getConnection() : super.getConnection();
        }
    }

    @Test
    void aSecondServerBehindTheUrlIsSaidWhileRunning() throws Exception {
        List<ILoggingEvent> said = new CopyOnWriteArrayList<>();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                said.add(event);
            }
        };
        appender.start();
        Logger logger = (Logger) LoggerFactory.getLogger("org.rowlock.spring.internal.startup.StartupVerification");
        logger.setLevel(Level.WARN);
        logger.addAppender(appender);
        TestPostgres another = TestPostgres.embedded(Map.of());
        Balanced balanced = new Balanced(database.dataSource(), another.dataSource());
        try (var context = RowLockTests.start(
                beans -> {
                    beans.registerBean(
                            RowLockSettings.class, () -> new TestSettings().verifyEvery(Duration.ofMillis(50)));
                    beans.registerBean("dataSource", DataSource.class, () -> balanced);
                },
                Contexts.Jdbc.class,
                Contexts.Base.class,
                Service.class)) {
            context.getBean(Service.class).run(1);
            assertThat(said).isEmpty();
            balanced.on = true;
            TestDatabase.await()
                    .untilAsserted(() -> assertThat(said).anySatisfy(event -> {
                        assertThat(event.getLevel()).isEqualTo(Level.ERROR);
                        assertThat(event.getFormattedMessage()).contains("no longer exclude", "servers");
                    }));
        } finally {
            logger.detachAppender(appender);
            logger.setLevel(null);
            another.stop();
        }
    }
}
