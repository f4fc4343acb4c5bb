package org.rowlock.spring.internal.call;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.call.TransactionDeclarations.Manager;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.util.ClassUtils;

/** Finds the DataSource of a lock. Thread-safe; remembers what it found. */
public final class DataSources {
    private static final boolean JPA = ClassUtils.isPresent(
                    "org.springframework.orm.jpa.JpaTransactionManager", DataSources.class.getClassLoader())
            && ClassUtils.isPresent("jakarta.persistence.EntityManagerFactory", DataSources.class.getClassLoader());

    private final ListableBeanFactory beans;
    private final Map<Manager, DataSource> found = new ConcurrentHashMap<>();

    public DataSources(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** The DataSource of a transaction manager, or the only or primary one, in this order; refuses to guess. */
    public DataSource of(Manager asked) {
        DataSource known = found.get(asked);
        if (known == null) {
            // Not within the map's lock: it asks the bean factory, which has locks of its own.
            known = find(asked);
            found.put(asked, known);
        }
        return known;
    }

    /** That of the default transaction manager, or the only or primary one. */
    public DataSource ofDefault() {
        return of(Manager.DEFAULT);
    }

    /** Whether there is such a one. */
    public boolean hasDefault() {
        return ofManager(Manager.DEFAULT) != null
                || beans.getBeanProvider(DataSource.class).getIfUnique() != null;
    }

    private DataSource find(Manager asked) {
        DataSource ofManager = ofManager(asked);
        if (ofManager != null) {
            return ofManager;
        }
        DataSource only = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (only == null) {
            String[] names = beans.getBeanNamesForType(DataSource.class);
            throw names.length == 0
                    ? new RowLockDefinitionException("There is no DataSource to lock in.", "Configure one.")
                    : new RowLockDefinitionException(
                            "There are several DataSources, and neither a primary one nor one that a transaction"
                                    + " manager names: " + String.join(", ", names) + ".",
                            "Name the transaction manager of the one that is meant where the method is:"
                                    + " @Transactional(\"bean name\"), with propagation = Propagation.MANDATORY if a"
                                    + " caller begins the transaction.");
        }
        return only;
    }

    private @Nullable DataSource ofManager(Manager asked) {
        TransactionManager manager = manager(asked);
        // One that was made before Rowlock's post-processors.
        CommitListener.listenTo(manager);
        return of(manager);
    }

    /** What a transaction manager commits; null if it does not say. */
    static @Nullable DataSource of(@Nullable TransactionManager manager) {
        if (manager instanceof DataSourceTransactionManager jdbc) {
            return jdbc.getDataSource();
        }
        return JPA ? Jpa.dataSourceOf(manager) : null;
    }

    private @Nullable TransactionManager manager(Manager asked) {
        if (!asked.typeQualifier().isEmpty()) {
            try {
                return named(asked.typeQualifier());
            } catch (NoSuchBeanDefinitionException e) {
                // The class is qualified for something else.
            }
        }
        if (!asked.qualifier().isEmpty()) {
            return named(asked.qualifier());
        }
        return asked.given() != null
                ? asked.given()
                : beans.getBeanProvider(TransactionManager.class).getIfUnique();
    }

    private TransactionManager named(String qualifier) {
        return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier);
    }

    /** Apart, as the class is only there with spring-orm. */
    private static final class Jpa {
        static @Nullable DataSource dataSourceOf(@Nullable TransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
        }
    }
}
