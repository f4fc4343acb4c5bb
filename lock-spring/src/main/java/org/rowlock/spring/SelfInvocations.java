package org.rowlock.spring;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds calls of an object to its own locking methods, which pass no proxy and lock nothing: in its class, the classes
 * and interfaces that this extends, its lambdas and its inner classes. It reads class files and does not run them, so
 * it can take another object of the class for this one where both are on the stack.
 */
final class SelfInvocations {
    private static final Log LOG = LogFactory.getLog(SelfInvocations.class);

    private SelfInvocations() {}

    /**
     * Says each caller.
     *
     * @throws RowLockDefinitionException if there is one, and the reaction is {@link Reaction#FAIL}
     */
    static void report(List<Method> methods, Class<?> type, Reaction reaction) {
        for (String caller : find(methods, ClassUtils.getUserClass(type))) {
            String problem =
                    caller + ". Called on this object it passes no proxy and locks nothing, as with @Transactional";
            if (reaction == Reaction.FAIL) {
                throw new RowLockDefinitionException(
                        problem + ".",
                        "Call it from another bean, or lock with RowLockTemplate; or set"
                                + " rowlock.self-invocation=warn.");
            }
            LOG.warn(problem + ": call it from another bean, or lock with RowLockTemplate.");
        }
    }

    /** The calls, each as a sentence without its full stop. */
    static Set<String> find(List<Method> methods, Class<?> type) {
        Set<Class<?>> hierarchy = new LinkedHashSet<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            hierarchy.add(each);
        }
        hierarchy.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        Set<String> owners = hierarchy.stream().map(Type::getInternalName).collect(Collectors.toSet());
        SelfInvocationFinder finder = new SelfInvocationFinder(owners, signatures(methods, type));
        for (Class<?> each : hierarchy) {
            if (!each.getName().startsWith("java.") && !Placement.isSpringsOwn(each)) {
                read(each.getName(), type.getClassLoader(), finder);
            }
        }
        // Only those that have an object of the class around them: others call another one.
        for (String inner : finder.innerClasses()) {
            read(inner.replace('/', '.'), type.getClassLoader(), finder);
        }
        return finder.calls();
    }

    /** With those of the bridges to them: a superclass calls its own, erased method. */
    private static Set<String> signatures(List<Method> methods, Class<?> type) {
        Set<String> signatures = new LinkedHashSet<>();
        for (Method method : methods) {
            signatures.add(method.getName() + Type.getMethodDescriptor(method));
        }
        for (Method bridge : ReflectionUtils.getAllDeclaredMethods(type)) {
            Method bridged = bridge.isBridge() ? BridgeMethodResolver.findBridgedMethod(bridge) : bridge;
            if (signatures.contains(bridged.getName() + Type.getMethodDescriptor(bridged))) {
                signatures.add(bridge.getName() + Type.getMethodDescriptor(bridge));
            }
        }
        return signatures;
    }

    private static void read(String name, @Nullable ClassLoader loader, SelfInvocationFinder finder) {
        ClassLoader from = loader == null ? ClassLoader.getSystemClassLoader() : loader;
        try (InputStream file = from.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file != null) {
                new ClassReader(file).accept(finder, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | IllegalArgumentException e) {
            // Only a hint is lost: a class that was generated, or of a newer format.
            LOG.debug("The class file of " + name + " cannot be read for self-invocations", e);
        }
    }
}
