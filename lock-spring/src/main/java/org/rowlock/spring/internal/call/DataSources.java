package org.rowlock.spring.internal.call;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.jpa.SessionCaches;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;

/** Finds the DataSource of a lock. Thread-safe. Results are cached. */
public final class DataSources {
    private static final boolean JPA = SessionCaches.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", "jakarta.persistence.EntityManagerFactory");

    private final ListableBeanFactory beans;
    private final Map<Object, DataSource> found = new ConcurrentHashMap<>();

    public DataSources(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Returns the DataSource of a transaction manager. If the manager exposes no DataSource, returns the only or the
     * primary DataSource. Throws an exception if there are several DataSources and none is primary.
     *
     * @param asked the manager; null for the default
     */
    public DataSource of(@Nullable TransactionManager asked) {
        Object key = asked == null ? this : asked;
        DataSource known = found.get(key);
        if (known == null) {
            // The DataSource is looked up outside the lock of the map, because the bean factory acquires locks too.
            known = find(asked == null ? defaultManager() : asked);
            found.put(key, known);
        }
        return known;
    }

    /** Whether the default manager exposes a DataSource, or there is a single or a primary DataSource. */
    public boolean hasDefault() {
        return committedBy(defaultManager()) != null
                || beans.getBeanProvider(DataSource.class).getIfUnique() != null;
    }

    private @Nullable TransactionManager defaultManager() {
        return beans.getBeanProvider(TransactionManager.class).getIfUnique();
    }

    private DataSource find(@Nullable TransactionManager manager) {
        // Rowlock's post-processors add the listener to managers, but this manager may have been created before them.
        CommitListener.listenTo(manager);
        DataSource ofManager = committedBy(manager);
        DataSource found =
                ofManager == null ? beans.getBeanProvider(DataSource.class).getIfUnique() : ofManager;
        if (found == null) {
            String[] names = beans.getBeanNamesForType(DataSource.class);
            throw names.length == 0
                    ? new RowLockDefinitionException(
                            "There is no DataSource in which to lock.", "Configure a DataSource.")
                    : new RowLockDefinitionException(
                            "There are several DataSources, but none is primary, and no transaction manager selects one"
                                    + " of them: " + String.join(", ", names) + ".",
                            "Name the transaction manager of the intended DataSource on the method:"
                                    + " @Transactional(\"bean name\"), with propagation = Propagation.MANDATORY if a"
                                    + " caller begins the transaction.");
        }
        return found;
    }

    /** Returns the DataSource that a transaction manager commits; null if the manager does not expose it. */
    static @Nullable DataSource committedBy(@Nullable TransactionManager manager) {
        if (manager instanceof DataSourceTransactionManager jdbc) {
            return jdbc.getDataSource();
        }
        return JPA ? Jpa.dataSourceOf(manager) : null;
    }

    /** A nested class, because its types exist only with spring-orm. */
    private static final class Jpa {
        static @Nullable DataSource dataSourceOf(@Nullable TransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
        }
    }
}
