package org.rowlock.spring.internal.proxy;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;
import org.rowlock.spring.internal.annotation.MethodLocks;
import org.rowlock.spring.internal.annotation.RowLockDefinition;
import org.rowlock.spring.internal.annotation.RowLockDefinitions;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.rowlock.spring.internal.call.TransactionDeclarations.Manager;

/** Every {@link org.rowlock.spring.RowLock} that was found so far, bean by bean. Thread-safe. */
public final class RowLockUsages {
    private final List<Usage> usages = new CopyOnWriteArrayList<>();

    /** One of them; the wait is null for the configured default. */
    public record Usage(
            String bean,
            RowLockDefinition definition,
            @Nullable LockWait lockWait,
            Manager transactionManager) {
        /** Class, name and parameter types. */
        public String method() {
            return definition.where();
        }

        public String table() {
            return definition.table().get();
        }
    }

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
                    usages.add(new Usage(
                            beanName, definition, locks.lockWait(), transactions.managerOf(method, targetClass)));
                }
            }
        }
    }

    /** All of them, in the order of their beans' creation. Those of lazy beans are there once the bean is. */
    public List<Usage> all() {
        return List.copyOf(usages);
    }
}
