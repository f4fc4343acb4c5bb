package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.LockingMethods.Lock;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the {@link RowLock} annotations of methods. The search covers the method and its parameters, in the bean's
 * class, superclasses and interfaces. The nearest annotations apply, as with {@code @Transactional}.
 */
public final class LockingMethods {
    private LockingMethods() {}

    /** A locking method and its annotations. The method is declared in the target class, or else in an interface. */
    record Found(Method method, List<Lock> locks) {}

    /** An annotation of a locking method. The parameter is null if the annotation is on the method. */
    record Lock(
            MergedAnnotation<RowLock> annotation, @Nullable MethodParameter parameter) {}

    /** Returns the methods of a class that have a {@link RowLock}, even if the annotations have no effect. */
    public static List<Method> of(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        return of(userClass, userClass, (method, target) -> find(method, target) != null);
    }

    /**
     * Returns the locking methods of a bean.
     *
     * @param locks returns whether a method of a target class locks
     */
    static List<Method> of(Class<?> target, Class<?> beanClass, BiPredicate<Method, Class<?>> locks) {
        Class<?> targetClass = ClassUtils.getUserClass(target);
        Map<List<Object>, Method> methods = new LinkedHashMap<>();
        // A proxy may implement interfaces that its target does not implement, for example the interface of a
        // repository.
        for (Class<?> type : new LinkedHashSet<>(List.of(targetClass, beanClass))) {
            if (AnnotationUtils.isCandidateClass(type, RowLock.class) && !isSpringsOwn(type)) {
                MethodIntrospector.selectMethods(
                                type, (ReflectionUtils.MethodFilter) method -> locks.test(method, targetClass))
                        .forEach(method -> {
                            // The key is the signature of the implementation, because a method of a generic interface
                            // has other parameter types.
                            Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
                            methods.putIfAbsent(
                                    List.of(specific.getName(), List.of(specific.getParameterTypes())), method);
                        });
            }
        }
        return List.copyOf(methods.values());
    }

    /**
     * Whether the type belongs to Spring itself. Spring has many beans of its own, and none of these beans locks. The
     * packages of Spring's sample applications have the same prefix, but do not belong to Spring.
     */
    public static boolean isSpringsOwn(Class<?> type) {
        return type.getName().startsWith("org.springframework.")
                && !type.getName().startsWith("org.springframework.samples.");
    }

    static @Nullable Found find(Method method, Class<?> targetClass) {
        if (!ClassUtils.isUserLevelMethod(method) || method.getDeclaringClass() == Object.class) {
            return null;
        }
        Class<?> type = ClassUtils.getUserClass(targetClass);
        // In a JDK proxy of another library, methods have no annotations and no parameter names.
        Method specific = Proxy.isProxyClass(type) ? method : AopUtils.getMostSpecificMethod(method, type);
        Found direct = findDirect(specific);
        Found found = direct == null ? findDirect(method) : direct;
        return found == null && specific.getDeclaringClass() != type ? findInherited(specific, type) : found;
    }

    private static @Nullable Found findDirect(Method method) {
        List<Lock> locks = new ArrayList<>();
        MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(RowLock.class)
                .filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
                .forEach(lock -> locks.add(new Lock(lock, null)));
        for (MethodParameter parameter : new AnnotatedMethod(method).getMethodParameters()) {
            MergedAnnotations.from(parameter.getParameterAnnotations()).stream(RowLock.class)
                    .forEach(lock -> locks.add(new Lock(lock, parameter)));
        }
        return locks.isEmpty() ? null : new Found(method, locks);
    }

    /**
     * Finds the annotations on the interfaces of the class. The class may inherit the method from a superclass that
     * does not implement the interface.
     */
    private static @Nullable Found findInherited(Method method, Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .flatMap(implemented -> implementedBy(method, implemented, type))
                .map(LockingMethods::findDirect)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Whether an interface declares a method that the target class implements or inherits. */
    public static boolean hasMethod(Class<?> type, Method method, Class<?> targetClass) {
        return ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes()) != null
                || implementedBy(method, type, targetClass).findAny().isPresent();
    }

    /**
     * Returns the interface methods that a method of the target class implements. The class may inherit this method.
     * The parameter types may differ: type variables are erased in the interface and bound in the class.
     */
    static Stream<Method> implementedBy(Method method, Class<?> type, Class<?> targetClass) {
        return Arrays.stream(type.getMethods())
                .filter(declared -> declared.getName().equals(method.getName())
                        && declared.getParameterCount() == method.getParameterCount()
                        && AopUtils.getMostSpecificMethod(declared, targetClass).equals(method));
    }

    /**
     * Rejects annotations on the components of a record or the properties of a Kotlin class. Such an annotation is on a
     * constructor parameter, and no proxy intercepts constructors.
     */
    static void checkConstructors(Class<?>... types) {
        for (Class<?> type : types) {
            for (Parameter parameter : constructorParameters(type)) {
                if (MergedAnnotations.from(parameter).isPresent(RowLock.class)) {
                    throw new RowLockDefinitionException(
                            "@RowLock on " + parameter.getName() + ", a parameter of the constructor of "
                                    + type.getName() + ", locks nothing, because no proxy intercepts a constructor.",
                            "Put the annotation on the method that receives the object: @RowLock(table = ..., id ="
                                    + " \"#command."
                                    + parameter.getName() + "\").");
                }
            }
        }
    }

    private static List<Parameter> constructorParameters(Class<?> type) {
        try {
            return !AnnotationUtils.isCandidateClass(type, RowLock.class) || isSpringsOwn(type)
                    ? List.of()
                    : Stream.of(type.getDeclaredConstructors())
                            .flatMap(each -> Stream.of(each.getParameters()))
                            .toList();
        } catch (TypeNotPresentException | LinkageError e) {
            return List.of(); // A class of a parameter is missing, so its constructor is never called.
        }
    }

    public static String where(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName() + "("
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", "))
                + ")";
    }
}
