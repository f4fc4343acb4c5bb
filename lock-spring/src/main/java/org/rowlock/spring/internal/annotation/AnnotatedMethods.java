package org.rowlock.spring.internal.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.rowlock.spring.RowLock;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the methods of a class that {@link RowLock} stands on or above, without reading what it says. */
public final class AnnotatedMethods {
    private AnnotatedMethods() {}

    public static Set<Method> of(Class<?> type) {
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
                            || Arrays.stream(method.getParameters()).anyMatch(AnnotatedMethods::has)) {
                        methods.add(method);
                    }
                }
            }
        }
        return methods;
    }

    private static boolean has(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(RowLock.class)
                .findAny()
                .isPresent();
    }
}
