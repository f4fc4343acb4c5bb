package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.spring.TransactionDeclarations.Manager;

/** Every {@link RowLock} that was found so far, bean by bean. Thread-safe. */
public final class RowLockUsages {
    private final List<Usage> usages = new CopyOnWriteArrayList<>();

    RowLockUsages() {}

    /** Those of a bean. */
    void add(
            String beanName,
            List<Method> methods,
            TransactionDeclarations transactions,
            Class<?> targetClass,
            RowLockDefinitions definitions) {
        for (Method method : methods) {
            MethodLocks locks = definitions.of(method, targetClass);
            if (locks != null) {
                for (RowLockDefinition definition : locks.definitions()) {
                    usages.add(new Usage(beanName, definition, locks, transactions.managerOf(method, targetClass)));
                }
            }
        }
    }

    /**
     * All of them. Those of lazy beans are there once the bean is.
     *
     * @return in the order of their beans' creation
     */
    public List<Usage> all() {
        return List.copyOf(usages);
    }

    /** One of them. */
    public static final class Usage {
        private final String bean;
        private final RowLockDefinition definition;
        private final MethodLocks locks;
        private final Manager transactionManager;

        private Usage(String bean, RowLockDefinition definition, MethodLocks locks, Manager transactionManager) {
            this.bean = bean;
            this.definition = definition;
            this.locks = locks;
            this.transactionManager = transactionManager;
        }

        /**
         * The bean.
         *
         * @return its name
         */
        public String bean() {
            return bean;
        }

        /**
         * The method.
         *
         * @return class, name and parameter types
         */
        public String method() {
            return definition.where();
        }

        /**
         * The table.
         *
         * @return its name, as in SQL
         */
        public String table() {
            return definition.table().get();
        }

        /**
         * Where the id comes from.
         *
         * @return the parameter or expression
         */
        public String id() {
            return definition.idText();
        }

        /**
         * The mode.
         *
         * @return how strongly it locks
         */
        public RowLockMode mode() {
            return definition.mode();
        }

        /**
         * The wait.
         *
         * @return how long it waits; null for the configured default
         */
        public @Nullable LockWait lockWait() {
            return locks.lockWait();
        }

        /** As it was read. */
        RowLockDefinition definition() {
            return definition;
        }

        Manager transactionManager() {
            return transactionManager;
        }
    }
}
