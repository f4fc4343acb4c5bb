package org.rowlock.spring;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Where {@link RowLock} stands, and whether a proxy can do anything about it there. */
final class Placement {
    private static final String REPOSITORY = "org.springframework.data.repository.Repository";

    private Placement() {}

    /** The class that a call is for, as Spring's own interceptors determine it. */
    static Class<?> targetClass(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target != null
                ? AopUtils.getTargetClass(target)
                : invocation.getMethod().getDeclaringClass();
    }

    /** The methods of beans of a class that lock; finds out quickly that most have none. */
    static List<Method> lockingMethods(RowLockDefinitions definitions, Class<?> target, Class<?> beanClass) {
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
    static boolean isSpringsOwn(Class<?> type) {
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

    /**
     * Refuses methods that no proxy can intercept.
     *
     * @throws RowLockDefinitionException if there is one
     */
    static void check(List<Method> methods, String beanName) {
        for (Method method : methods) {
            int modifiers = method.getModifiers();
            String cannot = Modifier.isPrivate(modifiers)
                    ? "private"
                    : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : "";
            if (!cannot.isEmpty()) {
                throw new RowLockDefinitionException(
                        "@RowLock on " + DefinitionReader.where(method) + " of bean " + beanName
                                + " would lock nothing:" + " the method is " + cannot
                                + ", and no proxy can intercept it.",
                        "Make it a plain method of the bean, and call it from another bean.");
            }
        }
    }

    /**
     * Refuses methods that this proxy does not have, that return before their work is done, and transactions that
     * cannot hold a lock.
     *
     * @throws RowLockDefinitionException if there is one
     */
    static void check(List<Method> methods, Advised proxy, TransactionDeclarations transactions) {
        Class<?> targetClass = AopUtils.getTargetClass(proxy);
        for (Method method : methods) {
            String where = "@RowLock on " + DefinitionReader.where(method);
            if (!proxy.isProxyTargetClass() && proxy.getProxiedInterfaces().length > 0 && !isOf(proxy, method)) {
                throw new RowLockDefinitionException(
                        where + " would lock nothing: the bean's proxy only has the methods of its interfaces.",
                        "Add the method to an interface, or proxy the class (proxyTargetClass = true).");
            }
            TransactionAttribute transaction = transactions.of(method, targetClass);
            DeferredResults.check(method, targetClass, transaction);
            EventListeners.check(method, targetClass, transaction);
            if (transaction == null || isRepository(proxy)) {
                continue;
            }
            if (transaction.isReadOnly()) {
                throw new RowLockDefinitionException(
                        where + " is in a read-only transaction, where row locks are refused.",
                        "Remove readOnly = true from its @Transactional.");
            }
            if (TransactionDeclarations.excludes(transaction)) {
                throw new RowLockDefinitionException(
                        where + " never has a transaction, as its propagation is NOT_SUPPORTED or NEVER.",
                        "Choose another propagation.");
            }
        }
    }

    private static boolean isOf(Advised proxy, Method method) {
        for (Class<?> type : proxy.getProxiedInterfaces()) {
            if (hasMethod(type, method)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an interface has the method that a class implements. */
    static boolean hasMethod(Class<?> type, Method method) {
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

    /** Whether this is the proxy of a Spring Data repository. */
    static boolean isRepository(Advised proxy) {
        for (Class<?> type : proxy.getProxiedInterfaces()) {
            if (isRepository(type)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRepository(Class<?> type) {
        if (type.getName().equals(REPOSITORY)) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isRepository(parent)) {
                return true;
            }
        }
        return false;
    }
}
