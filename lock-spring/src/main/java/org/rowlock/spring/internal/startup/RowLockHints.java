package org.rowlock.spring.internal.startup;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLock;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What is reflective in every application: the attributes of the annotations. */
final class RowLockHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (Class<?> annotation : List.of(RowLock.class, RowLock.Several.class)) {
            for (Method attribute : annotation.getDeclaredMethods()) {
                hints.reflection().registerMethod(attribute, ExecutableMode.INVOKE);
            }
        }
    }
}
