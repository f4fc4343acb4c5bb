package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The methods of a bean that {@link RowLock} stands on or above, and the places that no call passes. */
public final class LockingMethods {
    private LockingMethods() {}

    /** The methods of beans of a class that lock; finds out quickly that most have none. */
    public static List<Method> of(RowLockDefinitions definitions, Class<?> target, Class<?> beanClass) {
        Class<?> targetClass = ClassUtils.getUserClass(target);
        Set<Class<?>> types = new LinkedHashSet<>();
        // The methods of another library's JDK proxy are final; what counts is its interfaces.
        if (!Proxy.isProxyClass(targetClass)) {
            types.add(targetClass);
        }
        types.addAll(ClassUtils.getAllInterfacesForClassAsSet(beanClass));
        List<Method> methods = new ArrayList<>();
        for (Class<?> type : types) {
            if (AnnotationUtils.isCandidateClass(type, RowLock.class) && !isSpringsOwn(type)) {
                checkConstructors(definitions, ResolvableType.forClass(type));
                MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter) method -> {
                            checkParameters(definitions, method);
                            return definitions.of(method, targetClass) != null;
                        })
                        .forEach(method -> addUnlessThere(methods, method));
            }
        }
        return methods;
    }

    /** A record component or a Kotlin property is a parameter of a constructor, where no proxy stands. */
    private static void checkParameters(RowLockDefinitions definitions, Method method) {
        try {
            for (int i = 0; i < method.getParameterCount(); i++) {
                ResolvableType parameter = ResolvableType.forMethodParameter(method, i);
                checkConstructors(definitions, parameter.isArray() ? parameter.getComponentType() : parameter);
                for (ResolvableType each : parameter.getGenerics()) {
                    checkConstructors(definitions, each);
                }
            }
        } catch (TypeNotPresentException | LinkageError e) {
            // A class that is optional, and not there: nobody calls such a method.
        }
    }

    private static void checkConstructors(RowLockDefinitions definitions, ResolvableType type) {
        Class<?> plain = type.resolve(Object.class);
        if (!AnnotationUtils.isCandidateClass(plain, RowLock.class)
                || isSpringsOwn(plain)
                || !definitions.isFirstMet(plain)) {
            return;
        }
        for (Constructor<?> constructor : constructors(plain)) {
            for (Parameter parameter : constructor.getParameters()) {
                if (MergedAnnotations.from(parameter).isPresent(RowLock.class)) {
                    throw new RowLockDefinitionException(
                            "@RowLock on " + parameter.getName() + ", which the constructor of " + plain.getName()
                                    + " is given, locks nothing: there is no call of a bean to lock for.",
                            "Put it on the method that is given the object: @RowLock(table = ..., id = \"#command."
                                    + parameter.getName() + "\").");
                }
            }
        }
    }

    /** None of a class that is not there as a whole. */
    private static Constructor<?>[] constructors(Class<?> type) {
        try {
            return type.getDeclaredConstructors();
        } catch (LinkageError e) {
            return new Constructor<?>[0];
        }
    }

    /** There are many, and none locks; applications that begin as Spring does are its samples. */
    public static boolean isSpringsOwn(Class<?> type) {
        return type.getName().startsWith("org.springframework.")
                && !type.getName().startsWith("org.springframework.samples.");
    }

    private static void addUnlessThere(List<Method> methods, Method method) {
        boolean there = methods.stream()
                .anyMatch(known -> known.getName().equals(method.getName())
                        && List.of(known.getParameterTypes()).equals(List.of(method.getParameterTypes())));
        if (!there) {
            methods.add(method);
        }
    }

    /** Whether an interface has the method that a class implements. */
    public static boolean hasMethod(Class<?> type, Method method) {
        return ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes()) != null
                || implementedBy(method, type, method.getDeclaringClass())
                        .findAny()
                        .isPresent();
    }

    /**
     * The methods of an interface that a method implements in a class, which may have it from a superclass. Its
     * parameters may be others: an interface's type variables are erased in it and not in the class that binds them.
     */
    static Stream<Method> implementedBy(Method method, Class<?> type, Class<?> targetClass) {
        return Arrays.stream(type.getMethods())
                .filter(declared -> declared.getName().equals(method.getName())
                        && declared.getParameterCount() == method.getParameterCount()
                        && AopUtils.getMostSpecificMethod(declared, targetClass).equals(method));
    }
}
