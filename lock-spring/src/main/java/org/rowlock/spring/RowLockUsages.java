package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.spring.TransactionDeclarations.Manager;

/** Every {@link RowLock} that was found so far, bean by bean. Thread-safe. */
public final class RowLockUsages {
    private final List<Usage> usages = new CopyOnWriteArrayList<>();
    private final Set<String> beans = ConcurrentHashMap.newKeySet();

    RowLockUsages() {}

    /** False for another instance of a bean, which adds nothing. */
    boolean add(
            String beanName,
            List<Method> methods,
            TransactionDeclarations transactions,
            Class<?> targetClass,
            RowLockDefinitions definitions) {
        if (!beans.add(beanName)) {
            return false;
        }
        for (Method method : methods) {
            MethodLocks locks = definitions.of(method, targetClass);
            if (locks != null) {
                for (RowLockDefinition definition : locks.definitions()) {
                    usages.add(new Usage(
                            beanName,
                            definition.where(),
                            definition.table(),
                            definition.idText(),
                            definition.idType(),
                            definition.parts(),
                            definition.partTypes(),
                            definition.mode(),
                            locks.lockWait(),
                            locks.dataSource(),
                            transactions.managerOf(method, targetClass)));
                }
            }
        }
        return true;
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
        private final String method;
        private final Supplier<String> table;
        private final String id;
        private final @Nullable Class<?> idType;
        private final int parts;
        private final List<Optional<Class<?>>> partTypes;
        private final RowLockMode mode;
        private final @Nullable LockWait wait;
        private final String dataSource;
        private final Manager transactionManager;

        private Usage(
                String bean,
                String method,
                Supplier<String> table,
                String id,
                @Nullable Class<?> idType,
                int parts,
                List<Optional<Class<?>>> partTypes,
                RowLockMode mode,
                @Nullable LockWait lockWait,
                String dataSource,
                Manager transactionManager) {
            this.bean = bean;
            this.method = method;
            this.table = table;
            this.id = id;
            this.idType = idType;
            this.parts = parts;
            this.partTypes = partTypes;
            this.mode = mode;
            this.wait = lockWait;
            this.dataSource = dataSource;
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
            return method;
        }

        /**
         * The table.
         *
         * @return its name, as in SQL
         */
        public String table() {
            return table.get();
        }

        /**
         * Where the id comes from.
         *
         * @return the parameter or expression
         */
        public String id() {
            return id;
        }

        /**
         * The mode.
         *
         * @return how strongly it locks
         */
        public RowLockMode mode() {
            return mode;
        }

        /**
         * The wait.
         *
         * @return how long it waits; null for the configured default
         */
        public @Nullable LockWait lockWait() {
            return wait;
        }

        @Nullable
        Class<?> idType() {
            return idType;
        }

        /** How many parts the id has as far as the annotation tells; 0 if it does not. */
        int parts() {
            return parts;
        }

        /** The type of each part as far as the declarations tell. */
        List<Optional<Class<?>>> partTypes() {
            return partTypes;
        }

        String dataSource() {
            return dataSource;
        }

        Manager transactionManager() {
            return transactionManager;
        }
    }
}
