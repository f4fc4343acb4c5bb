package org.rowlock.spring;

import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import javax.sql.DataSource;
import org.mybatis.spring.SqlSessionHolder;
import org.rowlock.LockKey;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * What the sessions of the running transaction have read before it locks: behind the lock that is no longer what is
 * there. The sessions are those that Spring has bound to the thread, of Hibernate and of MyBatis.
 *
 * @param what for messages
 * @param dataSource where is locked
 * @param keys what is locked, and was not held before
 */
record SessionCaches(String what, DataSource dataSource, Set<LockKey> keys) {
    private static final boolean HIBERNATE =
            isPresent("org.hibernate.engine.spi.SessionImplementor", "org.springframework.orm.jpa.EntityManagerHolder");
    private static final boolean MYBATIS = isPresent("org.mybatis.spring.SqlSessionHolder");

    private static boolean isPresent(String... classes) {
        return Set.of(classes).stream()
                .allMatch(name -> ClassUtils.isPresent(name, SessionCaches.class.getClassLoader()));
    }

    /**
     * Refuses to lock a row whose entity is loaded and changed: it was read without the lock, so writing it loses what
     * was committed meanwhile, and reading it again loses the change.
     */
    void refuseChanged() {
        if (HIBERNATE && !keys.isEmpty()) {
            each((factory, holder) -> HibernateSession.of(factory, holder, dataSource)
                    .ifPresent(session -> session.refuseChanged(what, keys)));
        }
    }

    /** Has what is read from now on read from the database. */
    void renew(LockedTransaction transaction) {
        if (keys.isEmpty()) {
            return;
        }
        each((key, holder) -> {
            if (HIBERNATE) {
                HibernateSession.of(key, holder, dataSource).ifPresent(session -> session.renew(keys, transaction));
            }
            if (MYBATIS) {
                MyBatis.clear(holder);
            }
        });
    }

    /** A copy, as reading may bind others. */
    private static void each(BiConsumer<Object, Object> resource) {
        Map.copyOf(TransactionSynchronizationManager.getResourceMap()).forEach(resource);
    }

    /** Apart, as the class need not be there. */
    private static final class MyBatis {
        static void clear(Object holder) {
            if (holder instanceof SqlSessionHolder session) {
                session.getSqlSession().clearCache();
            }
        }
    }
}
