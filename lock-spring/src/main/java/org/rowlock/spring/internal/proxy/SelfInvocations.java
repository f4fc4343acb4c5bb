package org.rowlock.spring.internal.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.LockingMethods;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds self-invocations: an object calls its own locking method, which bypasses the proxy and locks nothing. The
 * search reads the class files of the class, its superclasses, its interfaces and its inner classes. A class file does
 * not show on which object a method is called. The search therefore skips methods that obtain another object of the
 * class, such as the proxy.
 */
public final class SelfInvocations extends ClassVisitor {
    private static final Log LOG = LogFactory.getLog(SelfInvocations.class);
    private static final String DEFAULT_ARGUMENTS = "$default";

    private final @Nullable ClassLoader loader;

    /** The internal names of the class, its superclasses and its interfaces. */
    private final Set<String> owners;

    /** The names of the locking methods, with their descriptors. */
    private final Set<String> signatures;

    private final Set<String> calls = new LinkedHashSet<>();
    private final Set<String> inner = new LinkedHashSet<>();
    private String name = "";

    private SelfInvocations(Class<?> type, Set<Class<?>> hierarchy, Set<String> signatures) {
        super(SpringAsmInfo.ASM_VERSION);
        this.loader = type.getClassLoader();
        this.owners = hierarchy.stream().map(Type::getInternalName).collect(Collectors.toSet());
        this.signatures = signatures;
    }

    static void report(Set<String> found, Reaction reaction) {
        for (String caller : found) {
            String problem = caller + ". Such a call bypasses the proxy and locks nothing, as with @Transactional";
            if (reaction == Reaction.FAIL) {
                throw new RowLockDefinitionException(
                        problem + ".",
                        "Call the method from another bean, or lock with RowLockTemplate; or set"
                                + " rowlock.unlocked-methods=warn.");
            }
            LOG.warn(problem + ": call the method from another bean, or lock with RowLockTemplate.");
        }
    }

    /** Returns a description of each call, as a sentence without its full stop. */
    public static Set<String> find(List<Method> methods, Class<?> type) {
        Set<Class<?>> hierarchy = new LinkedHashSet<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            hierarchy.add(each);
        }
        hierarchy.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        SelfInvocations found = new SelfInvocations(type, hierarchy, signatures(methods, type));
        hierarchy.stream()
                .filter(each -> !each.getName().startsWith("java.") && !LockingMethods.isSpringsOwn(each))
                .forEach(each -> found.read(Type.getInternalName(each)));
        // An inner class calls the methods of its enclosing object. A static nested class must obtain an object first,
        // so its calls are skipped.
        Set.copyOf(found.inner).forEach(found::read);
        return found.calls;
    }

    /**
     * Returns the signatures of the methods and of their bridge methods, because a superclass calls the method with
     * erased types. The result includes Kotlin's methods for default arguments, which call the given methods.
     */
    private static Set<String> signatures(List<Method> methods, Class<?> type) {
        Set<String> signatures = new HashSet<>();
        methods.forEach(method -> signatures.add(signature(method)));
        Set<String> defaults = methods.stream()
                .map(method -> method.getName() + DEFAULT_ARGUMENTS)
                .collect(Collectors.toSet());
        for (Method each : ReflectionUtils.getAllDeclaredMethods(type)) {
            Method bridged = each.isBridge() ? BridgeMethodResolver.findBridgedMethod(each) : each;
            if (defaults.contains(each.getName()) || signatures.contains(signature(bridged))) {
                signatures.add(signature(each));
            }
        }
        return signatures;
    }

    private static String signature(Method method) {
        return method.getName() + Type.getMethodDescriptor(method);
    }

    private void read(String internalName) {
        ClassLoader from = loader == null ? ClassLoader.getSystemClassLoader() : loader;
        try (InputStream file = from.getResourceAsStream(internalName + ".class")) {
            if (file != null) {
                new ClassReader(file).accept(this, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | IllegalArgumentException e) {
            // The class was generated at run time, or its format is too new. At worst a warning is missing.
            LOG.debug("The class file of " + internalName + " cannot be read for self-invocations", e);
        }
    }

    @Override
    public void visit(int version, int access, String own, String signature, String parent, String[] interfaces) {
        name = own;
    }

    @Override
    public void visitInnerClass(String member, String outer, String simpleName, int access) {
        if (owners.contains(name) && member.startsWith(name + "$")) {
            inner.add(member);
        }
    }

    @Override
    public MethodVisitor visitMethod(int access, String caller, String descriptor, String of, String[] thrown) {
        // Bridge methods, and Kotlin's methods for default arguments, merely forward to the real method.
        boolean forwards = (access & Opcodes.ACC_BRIDGE) != 0 || caller.endsWith(DEFAULT_ARGUMENTS);
        return new MethodVisitor(api) {
            private final Set<String> called = new LinkedHashSet<>();

            // Whether the method may use another object of the class, and call the methods of that object.
            private boolean hasAnother =
                    forwards || Arrays.stream(Type.getArgumentTypes(descriptor)).anyMatch(SelfInvocations.this::isOwn);

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String type) {
                hasAnother |= !field.startsWith("this$") && isOwn(Type.getType(type));
            }

            @Override
            public void visitTypeInsn(int opcode, String type) {
                hasAnother |= owners.contains(type);
            }

            @Override
            public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
                hasAnother |= isOwn(Type.getReturnType(type));
                // A call of super.method() is correct, because the caller has the same lock.
                if (opcode != Opcodes.INVOKESPECIAL || !(method + type).equals(caller + descriptor)) {
                    call(owner, method, type);
                }
            }

            @Override
            public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... arguments) {
                for (Object argument : arguments) {
                    if (argument instanceof Handle handle) {
                        call(handle.getOwner(), handle.getName(), handle.getDesc());
                    }
                }
            }

            private void call(String owner, String method, String type) {
                if (owners.contains(owner) && signatures.contains(method + type)) {
                    called.add(method.replace(DEFAULT_ARGUMENTS, ""));
                }
            }

            @Override
            public void visitEnd() {
                if (!hasAnother) {
                    called.forEach(each ->
                            calls.add(place(caller) + " calls " + each + " of its own class, which has a @RowLock"));
                }
            }
        };
    }

    private String place(String caller) {
        String simpleName = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
        return simpleName + "."
                + (caller.startsWith("lambda$")
                        ? caller.substring("lambda$".length(), caller.lastIndexOf('$'))
                        : caller);
    }

    private boolean isOwn(Type type) {
        return type.getSort() == Type.OBJECT && owners.contains(type.getInternalName());
    }
}
