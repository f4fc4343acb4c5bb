package org.rowlock.spring.internal.proxy;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.DefinitionReader;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.ReflectionUtils;

/**
 * Methods whose work is done, or goes on, when the transaction and its locks have ended: after they have returned, or
 * as listeners behind the commit, with its connection still bound to the thread.
 */
final class DeferredResults {
    /** By name, as most need not be there. */
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

    private DeferredResults() {}

    /** Refuses such a method; the transaction is what it declares, null for none. */
    static void check(Method method, Class<?> targetClass, @Nullable TransactionAttribute transaction) {
        checkListener(method, targetClass, transaction);
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
            throw refused(method, "it is a suspending function");
        }
        boolean mandatory = transaction != null
                && transaction.getPropagationBehavior() == TransactionDefinition.PROPAGATION_MANDATORY;
        Class<?> late = deferred(ResolvableType.forMethodReturnType(method, targetClass), mandatory);
        if (late != null && !isAsync(method, targetClass)) {
            throw refused(method, "it returns a " + late.getSimpleName());
        }
    }

    /**
     * What is deferred in a result, which may be within another type, as in {@code ResponseEntity<Mono<T>>}.
     *
     * @param inTransaction whether the caller reads a stream within its transaction
     */
    private static @Nullable Class<?> deferred(ResolvableType result, boolean inTransaction) {
        Class<?> type = result.resolve(Object.class);
        if (BaseStream.class.isAssignableFrom(type) ? !inTransaction : isOneOf(DEFERRED, type)) {
            return type;
        }
        // Not of a type variable, which may be of itself.
        return Stream.of(result)
                .filter(each -> each.getType() instanceof ParameterizedType)
                .flatMap(each -> Arrays.stream(each.getGenerics()))
                .map(each -> deferred(each, inTransaction))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Whether a type is, or extends, one that is given by its name. */
    static boolean isOneOf(List<String> names, @Nullable Class<?> type) {
        return type != null
                && (names.contains(type.getName())
                        || isOneOf(names, type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(each -> isOneOf(names, each)));
    }

    /** Then the transaction is within the other thread, and the result only carries what is there at its end. */
    private static boolean isAsync(Method method, Class<?> targetClass) {
        Method specific = ReflectionUtils.findMethod(targetClass, method.getName(), method.getParameterTypes());
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || (specific != null && AnnotatedElementUtils.hasAnnotation(specific, Async.class))
                || AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
    }

    private static RowLockDefinitionException refused(Method method, String why) {
        return new RowLockDefinitionException(
                "@RowLock on " + DefinitionReader.where(method) + " would lock nothing: " + why
                        + ", whose work is done after the method has returned, and the lock ends with the method's"
                        + " transaction.",
                "Lock in a method that does the work and returns its result, and call that one from the deferred work"
                        + " (with a Stream: collect it, or propagation MANDATORY); or make the method @Async.");
    }

    /** Refuses one that would lock in the transaction that has ended. */
    private static void checkListener(Method method, Class<?> targetClass, @Nullable TransactionAttribute transaction) {
        TransactionalEventListener listener =
                AnnotatedElementUtils.findMergedAnnotation(method, TransactionalEventListener.class);
        if (listener == null
                || listener.phase() == TransactionPhase.BEFORE_COMMIT
                || isAsync(method, targetClass)
                || (transaction != null
                        && transaction.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW)) {
            return;
        }
        throw new RowLockDefinitionException(
                "@RowLock on " + DefinitionReader.where(method) + " is on a @TransactionalEventListener of the phase "
                        + listener.phase()
                        + ", which runs when the transaction has ended: the lock would be one of that"
                        + " transaction, and what the method writes would not be committed.",
                "Give it a transaction of its own: @Transactional(propagation = Propagation.REQUIRES_NEW), or @Async.");
    }
}
