package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the {@link RowLock} of methods: on the method and its parameters, in the class, its superclasses and
 * interfaces, and on the class or interface for methods that have none. The nearest counts, as with
 * {@code @Transactional}. Thread-safe; remembers what it found.
 */
public final class RowLockDefinitions {
    private final DefinitionReader reader;
    private final Map<MethodClassKey, Optional<MethodLocks>> found = new ConcurrentHashMap<>();

    private final Map<List<Class<?>>, List<Method>> locking = new ConcurrentHashMap<>();

    private final Set<Class<?>> met = ConcurrentHashMap.newKeySet();

    public RowLockDefinitions(DefinitionReader reader) {
        this.reader = reader;
    }

    /**
     * What a method locks.
     *
     * @param method as it is called, possibly an interface's
     * @param targetClass the class that implements it
     * @return null for nothing
     * @throws RowLockDefinitionException if a definition cannot work
     */
    @Nullable
    public MethodLocks of(Method method, Class<?> targetClass) {
        return found.computeIfAbsent(
                        new MethodClassKey(method, targetClass), key -> Optional.ofNullable(read(method, targetClass)))
                .orElse(null);
    }

    /**
     * The methods that lock.
     *
     * @param target the class that implements them
     * @param beanClass of the bean, which may be a proxy's
     */
    public List<Method> lockingMethods(Class<?> target, Class<?> beanClass) {
        List<Class<?>> classes = List.of(target, beanClass);
        List<Method> known = locking.get(classes);
        if (known == null) {
            known = List.copyOf(LockingMethods.of(this, target, beanClass));
            locking.put(classes, known);
        }
        return known;
    }

    /** Whether a class is met for the first time. */
    boolean isFirstMet(Class<?> type) {
        return met.add(type);
    }

    private @Nullable MethodLocks read(Method method, Class<?> targetClass) {
        if (ClassUtils.isUserLevelMethod(method) && method.getDeclaringClass() != Object.class) {
            Class<?> type = ClassUtils.getUserClass(targetClass);
            // The methods of another library's JDK proxy have neither annotations nor names of parameters.
            Method specific = Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
            MethodLocks locks = readDirect(specific);
            if (locks == null && !specific.equals(method)) {
                locks = readDirect(method);
            }
            if (locks == null && specific.getDeclaringClass() != type) {
                locks = readInherited(specific, type);
            }
            if (locks == null && isPublicInstance(specific) && !ReflectionUtils.isObjectMethod(specific)) {
                locks = readOfClass(specific, type);
                if (locks == null) {
                    // A repository's interface is not one of the class that implements it.
                    locks = readOfClass(method, method.getDeclaringClass());
                }
            }
            return locks;
        }
        return null;
    }

    /** Of the method and its parameters. */
    private @Nullable MethodLocks readDirect(Method method) {
        List<MergedAnnotation<RowLock>> onMethod =
                nearest(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(RowLock.class));
        List<ParameterLock> onParameters = new ArrayList<>();
        for (MethodParameter parameter : new AnnotatedMethod(method).getMethodParameters()) {
            MergedAnnotations.from(parameter.getParameterAnnotations()).stream(RowLock.class)
                    .forEach(lock -> onParameters.add(new ParameterLock(parameter, lock)));
        }
        return onMethod.isEmpty() && onParameters.isEmpty() ? null : reader.read(method, onMethod, onParameters);
    }

    /** Of an interface of the class, whose method it has from a superclass that does not know the interface. */
    private @Nullable MethodLocks readInherited(Method method, Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .flatMap(implemented -> LockingMethods.implementedBy(method, implemented, type))
                .map(this::readDirect)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private @Nullable MethodLocks readOfClass(Method method, Class<?> type) {
        List<MergedAnnotation<RowLock>> onClass =
                nearest(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).stream(RowLock.class)
                        .filter(lock -> lock.getSource() instanceof Class<?> annotated && isOf(annotated, method)));
        return onClass.isEmpty() ? null : reader.read(method, onClass, List.of());
    }

    /**
     * An interface's are its own; a class's are its own and those of its subclasses, as with {@code @Transactional}.
     */
    private static boolean isOf(Class<?> annotated, Method method) {
        return annotated.isInterface()
                ? LockingMethods.hasMethod(annotated, method)
                : annotated.isAssignableFrom(method.getDeclaringClass());
    }

    /** Those of the nearest element that has any. */
    private static List<MergedAnnotation<RowLock>> nearest(Stream<MergedAnnotation<RowLock>> annotations) {
        List<MergedAnnotation<RowLock>> all = annotations.toList();
        int nearest = all.stream()
                .map(MergedAnnotation::getAggregateIndex)
                .min(Comparator.naturalOrder())
                .orElse(0);
        return all.stream().filter(lock -> lock.getAggregateIndex() == nearest).toList();
    }

    /** A parameter with one of its annotations. */
    record ParameterLock(MethodParameter parameter, MergedAnnotation<RowLock> lock) {}

    private static boolean isPublicInstance(Method method) {
        return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
    }
}
