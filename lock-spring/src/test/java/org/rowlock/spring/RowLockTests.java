package org.rowlock.spring;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.internal.access.LockAccess;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/** Contexts, a look at a lock from outside, and at classes. */
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
