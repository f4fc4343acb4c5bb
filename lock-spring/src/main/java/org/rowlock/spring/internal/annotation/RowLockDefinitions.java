package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/** The {@link RowLock} of methods, found and read. Thread-safe; remembers what it found. */
public final class RowLockDefinitions {
    private final DefinitionReader reader;
    private final Map<MethodClassKey, Optional<MethodLocks>> found = new ConcurrentHashMap<>();
    private final Map<List<Class<?>>, List<Method>> locking = new ConcurrentHashMap<>();

    /** Those whose constructors have been looked at. */
    private final Set<Class<?>> met = ConcurrentHashMap.newKeySet();

    public RowLockDefinitions(DefinitionReader reader) {
        this.reader = reader;
    }

    /** What a method locks, as it is called, possibly an interface's; null for nothing. Refuses what cannot work. */
    @Nullable
    public MethodLocks of(Method method, Class<?> targetClass) {
        return found.computeIfAbsent(
                        new MethodClassKey(method, targetClass),
                        key -> Optional.ofNullable(LockingMethods.find(method, targetClass))
                                .map(reader::read))
                .orElse(null);
    }

    /** The methods of a target that lock; the class of the bean may be a proxy's. */
    public List<Method> lockingMethods(Class<?> target, Class<?> beanClass) {
        List<Class<?>> classes = List.of(target, beanClass);
        List<Method> known = locking.get(classes);
        if (known == null) {
            ifThere(() -> checkTypes(ResolvableType.forClass(ClassUtils.getUserClass(target))));
            known = LockingMethods.of(target, beanClass, (method, targetClass) -> {
                ifThere(() -> {
                    for (Type parameter : method.getGenericParameterTypes()) {
                        checkTypes(ResolvableType.forType(parameter));
                    }
                });
                return of(method, targetClass) != null;
            });
            locking.put(classes, known);
        }
        return known;
    }

    private static void ifThere(Runnable check) {
        try {
            check.run();
        } catch (TypeNotPresentException | LinkageError e) {
            // A class that is optional, and not there: nobody calls such a method.
        }
    }

    /** A record component or a Kotlin property is a parameter of a constructor, where no proxy stands. */
    private void checkTypes(ResolvableType type) {
        if (type.isArray()) {
            checkTypes(type.getComponentType());
            return;
        }
        Class<?> plain = type.resolve(Object.class);
        if (AnnotationUtils.isCandidateClass(plain, RowLock.class)
                && !LockingMethods.isSpringsOwn(plain)
                && met.add(plain)) {
            checkConstructors(plain);
        }
        // Not of a type variable, which may be of itself.
        if (type.getType() instanceof ParameterizedType) {
            for (ResolvableType each : type.getGenerics()) {
                checkTypes(each);
            }
        }
    }

    private void checkConstructors(Class<?> type) {
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            for (Parameter parameter : constructor.getParameters()) {
                if (MergedAnnotations.from(parameter).isPresent(RowLock.class)) {
                    throw new RowLockDefinitionException(
                            "@RowLock on " + parameter.getName() + ", which the constructor of " + type.getName()
                                    + " is given, locks nothing: there is no call of a bean to lock for.",
                            "Put it on the method that is given the object: @RowLock(table = ..., id = \"#command."
                                    + parameter.getName() + "\").");
                }
                if (type.isRecord()) {
                    checkTypes(ResolvableType.forType(parameter.getParameterizedType()));
                }
            }
        }
    }
}
