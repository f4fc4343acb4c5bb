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
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of a class to its own locking methods, which pass no proxy and lock nothing. Reads the class file; a call
 * through a field of the same type looks alike, so it only warns.
 */
final class SelfInvocations {
    private static final Log LOG = LogFactory.getLog(SelfInvocations.class);

    private SelfInvocations() {}

    /** Logs a warning for each caller. */
    static void warn(List<Method> methods, Class<?> type) {
        for (String caller : find(methods, ClassUtils.getUserClass(type))) {
            LOG.warn(caller
                    + ". Called on this object it passes no proxy and locks nothing, as with @Transactional: call it"
                    + " from another bean, or lock with RowLockTemplate.");
        }
    }

    /** The calls, each as a sentence without its full stop. */
    static Set<String> find(List<Method> methods, Class<?> type) {
        Set<String> signatures = methods.stream()
                .map(method -> method.getName() + Type.getMethodDescriptor(method))
                .collect(Collectors.toSet());
        Set<String> calls = new LinkedHashSet<>();
        try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            if (file != null) {
                new ClassReader(file)
                        .accept(new Finder(type, signatures, calls), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | IllegalArgumentException e) {
            // Only a hint is lost: a class that was generated, or of a newer format.
            LOG.debug("The class file of " + type.getName() + " cannot be read for self-invocations", e);
        }
        return calls;
    }

    private static final class Finder extends ClassVisitor {
        private final Class<?> type;
        private final Set<String> signatures;
        private final Set<String> calls;

        Finder(Class<?> type, Set<String> signatures, Set<String> calls) {
            super(SpringAsmInfo.ASM_VERSION);
            this.type = type;
            this.signatures = signatures;
            this.calls = calls;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String caller, String descriptor, String signature, String[] exceptions) {
            // A bridge calls its own method, and a proxy calls the bridge.
            if ((access & Opcodes.ACC_BRIDGE) != 0) {
                return new MethodVisitor(api) {};
            }
            return new MethodVisitor(api) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String name, String called, boolean isInterface) {
                    if (owner.equals(Type.getInternalName(type)) && signatures.contains(name + called)) {
                        calls.add(type.getSimpleName() + "." + caller + " calls " + name
                                + " of its own class, which has" + " a @RowLock");
                    }
                }
            };
        }
    }
}
