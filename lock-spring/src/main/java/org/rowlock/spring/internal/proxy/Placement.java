package org.rowlock.spring.internal.proxy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.LockingMethods;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/**
 * Rejects a {@link RowLock} on a method if a proxy cannot lock for that method.
 *
 * @param propagation the propagation of the method's own transaction; -1 if the method declares no transaction
 */
record Placement(Method method, Class<?> targetClass, int propagation) {
    private static final List<String> REPOSITORY = List.of("org.springframework.data.repository.Repository");

    /**
     * The names of result types whose work begins or continues after the method has returned. The list contains names
     * rather than classes, because most of these classes may be missing.
     */
    private static final List<String> DEFERRED = List.of(
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "java.util.concurrent.Future",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow",
            "kotlinx.coroutines.Deferred",
            "kotlin.sequences.Sequence",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Rejects methods that no proxy can intercept, or that this class of a proxy cannot override. */
    static void check(List<Method> methods, String beanName, Class<?> proxyClass) {
        for (Method method : methods) {
            int modifiers = method.getModifiers();
            String cannot = Modifier.isPrivate(modifiers)
                    ? "private"
                    : Modifier.isStatic(modifiers)
                            ? "static"
                            : Modifier.isFinal(modifiers)
                                    ? "final"
                                    : isHidden(method, proxyClass)
                                            ? "package-private in another package or class loader"
                                            : "";
            if (!cannot.isEmpty()) {
                throw new RowLockDefinitionException(
                        "@RowLock on " + LockingMethods.where(method) + " of bean " + beanName
                                + " would lock nothing: the method is " + cannot
                                + ", and no proxy can intercept it.",
                        "Make the method a plain method of the bean, and call it from another bean.");
            }
        }
    }

    private static boolean isHidden(Method method, Class<?> proxyClass) {
        Class<?> declaring = method.getDeclaringClass();
        return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0
                && !Proxy.isProxyClass(proxyClass)
                && !(Objects.equals(declaring.getClassLoader(), proxyClass.getClassLoader())
                        && declaring.getPackageName().equals(proxyClass.getPackageName()));
    }

    /** Rejects methods that this proxy does not intercept, and methods that return before their work is done. */
    static void check(List<Method> methods, Advised proxy, TransactionDeclarations transactions) {
        Class<?> targetClass = AopUtils.getTargetClass(proxy);
        for (Method method : methods) {
            TransactionAttribute transaction = transactions.of(method, targetClass);
            Placement placement =
                    new Placement(method, targetClass, transaction == null ? -1 : transaction.getPropagationBehavior());
            if (!proxy.isProxyTargetClass()
                    && proxy.getProxiedInterfaces().length > 0
                    && Arrays.stream(proxy.getProxiedInterfaces())
                            .noneMatch(type -> LockingMethods.hasMethod(type, method, targetClass))) {
                throw new RowLockDefinitionException(
                        placement.where()
                                + " would lock nothing: the bean's proxy only has the methods of its interfaces.",
                        "Add the method to an interface, or proxy the class (proxyTargetClass = true).");
            }
            placement.checkResult();
        }
    }

    private String where() {
        return "@RowLock on " + LockingMethods.where(method);
    }

    static boolean isRepository(Advised proxy) {
        return Arrays.stream(proxy.getProxiedInterfaces()).anyMatch(type -> isOneOf(REPOSITORY, type));
    }

    /** Rejects methods whose work begins or continues after the transaction and its locks have ended. */
    private void checkResult() {
        // With @Async, the whole transaction runs on another thread, and the result is complete when the transaction
        // ends.
        Class<?>[] parameters = method.getParameterTypes();
        boolean suspends = parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
        String late = suspends
                ? "it is a suspending function"
                : (isAsync()
                                ? Stream.<Class<?>>empty()
                                : deferred(ResolvableType.forMethodReturnType(method, targetClass)))
                        .findFirst()
                        .map(type -> "it returns a " + type.getSimpleName())
                        .orElse("");
        if (!late.isEmpty()) {
            throw new RowLockDefinitionException(
                    where() + " would lock nothing: " + late + ", whose work is done after the method has returned, and"
                            + " the lock ends with the method's transaction.",
                    "Lock in a method that does the work and returns its result, and call this method from the deferred"
                            + " work (with a Stream: collect it, or propagation MANDATORY); or make it @Async.");
        }
    }

    /** Returns the deferred types in a result type, including type arguments as in {@code ResponseEntity<Mono<T>>}. */
    private Stream<Class<?>> deferred(ResolvableType result) {
        Class<?> type = result.resolve(Object.class);
        // With MANDATORY a stream is allowed, because the caller reads it within its own transaction.
        if (BaseStream.class.isAssignableFrom(type)
                ? propagation != TransactionDefinition.PROPAGATION_MANDATORY
                : isOneOf(DEFERRED, type)) {
            return Stream.of(type);
        }
        // A type variable is skipped, because it may refer to itself.
        return result.getType() instanceof ParameterizedType
                ? Arrays.stream(result.getGenerics()).flatMap(this::deferred)
                : Stream.empty();
    }

    private static boolean isOneOf(List<String> names, Class<?> type) {
        return names.contains(type.getName())
                || Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
                        .anyMatch(each -> isOneOf(names, each));
    }

    private boolean isAsync() {
        Method specific = ReflectionUtils.findMethod(targetClass, method.getName(), method.getParameterTypes());
        return Stream.of(method, specific == null ? method : specific, targetClass)
                .anyMatch(each -> AnnotatedElementUtils.hasAnnotation(each, Async.class));
    }
}
