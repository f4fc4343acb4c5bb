package org.rowlock.spring.internal.startup;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.internal.annotation.LockingMethods;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;

/**
 * Registers native-image hints for each bean with {@link RowLock}. The hints cover the annotation's attributes, the
 * locking methods, the components of typed ids, and the properties that expressions name.
 */
final class RowLockAotProcessor implements BeanRegistrationAotProcessor {
    private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        List<Method> methods = LockingMethods.of(bean.getBeanClass());
        return methods.isEmpty()
                ? null
                : (context, code) -> register(context.getRuntimeHints().reflection(), methods);
    }

    private void register(ReflectionHints hints, List<Method> methods) {
        hints.registerMethod(TransactionDeclarations.determineManager(), ExecutableMode.INVOKE);
        for (Class<?> annotation : List.of(RowLock.class, RowLock.Several.class)) {
            for (Method attribute : annotation.getDeclaredMethods()) {
                hints.registerMethod(attribute, ExecutableMode.INVOKE);
            }
        }
        for (Method method : methods) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            for (Type parameter : method.getGenericParameterTypes()) {
                ResolvableType type = ResolvableType.forType(parameter);
                while (type.isArray()) {
                    type = type.getComponentType();
                }
                properties.registerReflectionHints(hints, type.getType());
            }
        }
    }
}
