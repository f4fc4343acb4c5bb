package org.rowlock.spring;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.internal.access.LockAccess;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Contexts, and a look at a lock from outside. */
public final class RowLockTests {
    private RowLockTests() {}

    /** Starts a context of components, with beans that are not classes. */
    @SuppressWarnings("resource")
    public static AnnotationConfigApplicationContext start(
            Consumer<AnnotationConfigApplicationContext> beans, Class<?>... components) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        beans.accept(context);
        context.register(components);
        context.refresh();
        return context;
    }

    /** Whether another transaction could lock now: by BOTH, so behind holders of any strategy. */
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
}
