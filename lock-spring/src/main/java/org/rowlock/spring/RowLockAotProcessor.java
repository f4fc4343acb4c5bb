package org.rowlock.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Hints for native images, per bean with {@link RowLock}: its locking methods, and what is read of their arguments, which
 * are the parts of id objects and the properties that expressions name.
 */
final class RowLockAotProcessor implements BeanRegistrationAotProcessor {
    private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        Set<Class<?>> places = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
        for (Class<?> place = type; place != null && place != Object.class; place = place.getSuperclass()) {
            places.add(place);
        }
        Set<Method> methods = new LinkedHashSet<>();
        for (Class<?> place : places) {
            if (AnnotationUtils.isCandidateClass(place, RowLock.class)) {
                boolean ofAll = has(place);
                for (Method method : ReflectionUtils.getDeclaredMethods(place)) {
                    if (ofAll
                            || has(method)
                            || Arrays.stream(method.getParameters()).anyMatch(RowLockAotProcessor::has)) {
                        methods.add(method);
                    }
                }
            }
        }
        return methods.isEmpty()
                ? null
                : (context, code) -> register(context.getRuntimeHints().reflection(), methods);
    }

    private static boolean has(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(RowLock.class)
                .findAny()
                .isPresent();
    }

    private void register(ReflectionHints hints, Set<Method> methods) {
        for (Method method : methods) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            for (Type parameter : method.getGenericParameterTypes()) {
                properties.registerReflectionHints(hints, element(parameter));
            }
        }
    }

    private static Type element(Type type) {
        if (type instanceof GenericArrayType array) {
            return element(array.getGenericComponentType());
        }
        return type instanceof Class<?> array && array.isArray() ? element(array.getComponentType()) : type;
    }
}
