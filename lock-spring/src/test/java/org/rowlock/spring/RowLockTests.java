package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.observation.ObservationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.PlatformTransactionManager;

/** Helpers of tests: start contexts, check locks from another session, read logs, and find classes. */
public final class RowLockTests {
    private RowLockTests() {}

    /** Starts a context with components, and with beans that a callback registers. The database closes the context. */
    public static TestContext start(TestDatabase database, Consumer<TestContext> beans, Class<?>... components) {
        TestContext context = database.closing(new TestContext());
        beans.accept(context);
        for (Class<?> component : components) {
            context.register(component);
        }
        context.refresh();
        return context;
    }

    /** Returns a template with the default settings and without metrics. */
    static RowLockTemplate template(RowLocks locks, PlatformTransactionManager transactions, DataSource dataSource) {
        SpringLocks spring = new SpringLocks(locks, RowLockSettings.defaults(), ObservationRegistry.NOOP);
        return new RowLockTemplate(spring, transactions, dataSource);
    }

    /** Returns the list to which a logger adds its events until the test ends. */
    static List<ILoggingEvent> logged(TestDatabase database, String name, Level level) {
        Logger logger = (Logger) LoggerFactory.getLogger(name);
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.list = new CopyOnWriteArrayList<>();
        said.start();
        logger.setLevel(level);
        logger.addAppender(said);
        database.closing(() -> {
            logger.detachAppender(said);
            logger.setLevel(null);
        });
        return said.list;
    }

    /** Runs statements on a separate connection, and commits. */
    public static void execute(TestDatabase database, String... statements) {
        try {
            database.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a session has waited for another session for longer than the given interval. */
    static boolean waitsFor(TestDatabase database, String interval) {
        return query(
                        database,
                        "select exists (select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0"
                                + " and clock_timestamp() - query_start > '" + interval + "')")
                .equals("t");
    }

    public static String query(TestDatabase database, String sql) {
        try {
            return database.query(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Locks a row in the transaction of another session, as FOR UPDATE with one strategy does. */
    public static void lock(Session session, LockStrategy strategy, LockKey key) throws Exception {
        RowLocks locks = LockAccess.builder().strategy(strategy).build();
        session.run(connection -> locks.in(connection).lock(forUpdate(key)));
    }

    /** Returns another session whose transaction has locked a row. */
    public static Session holder(TestDatabase database, LockStrategy strategy, LockKey key) throws Exception {
        Session session = database.session("holder");
        lock(session, strategy, key);
        return session;
    }

    public static Session holder(TestDatabase database, LockKey key) throws Exception {
        return holder(database, LockStrategy.ROW, key);
    }

    /**
     * Whether another transaction can lock now. The check uses BOTH, which conflicts with holders of every strategy.
     */
    public static boolean isFree(DataSource dataSource, LockKey key) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                return LockAccess.builder()
                        .strategy(LockStrategy.BOTH)
                        .build()
                        .in(connection)
                        .tryLock(forUpdate(key).allowAbsent())
                        .isHeld();
            } finally {
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void assertHeld(LockResult result) {
        assertThat(result.isHeld()).isTrue();
    }

    /** Checks that a call is rejected as a wrong use of the API. */
    public static AbstractThrowableAssert<?, ? extends Throwable> assertMisuse(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(InvalidDataAccessApiUsageException.class);
    }

    /** Checks that a context does not start, or that a definition is rejected. */
    public static AbstractThrowableAssert<?, ? extends Throwable> assertBadDefinition(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(RowLockDefinitionException.class);
    }

    /** Checks that a call does not acquire its lock. */
    public static AbstractThrowableAssert<?, ? extends Throwable> assertNotAcquired(ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOf(CannotAcquireLockException.class);
    }

    /** Finds the subclasses of a type among the class files of the class path that match the patterns. */
    public static <T> Stream<Class<? extends T>> subclasses(Class<T> type, String... patterns) throws Exception {
        List<Class<? extends T>> found = new ArrayList<>();
        for (String pattern : patterns) {
            for (Resource file : new PathMatchingResourcePatternResolver().getResources("classpath*:" + pattern)) {
                String name = new SimpleMetadataReaderFactory()
                        .getMetadataReader(file)
                        .getClassMetadata()
                        .getClassName();
                Class<?> each = Class.forName(name, false, RowLockTests.class.getClassLoader());
                if (type.isAssignableFrom(each) && each != type) {
                    found.add(each.asSubclass(type));
                }
            }
        }
        return found.stream();
    }
}
