package org.rowlock.spring;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/** Reads class files for {@link SelfInvocations}, one after the other. Not thread-safe. */
final class SelfInvocationFinder extends ClassVisitor {
    private static final String DEFAULT_ARGUMENTS = "$default";

    private final Set<String> owners;
    private final Set<String> signatures;
    private final Set<String> calls = new LinkedHashSet<>();
    private final Set<String> inner = new LinkedHashSet<>();
    private String name = "";

    /**
     * Calls of these methods.
     *
     * @param owners the internal names of the class and all that it extends
     * @param signatures names with descriptors
     */
    SelfInvocationFinder(Set<String> owners, Set<String> signatures) {
        super(SpringAsmInfo.ASM_VERSION);
        this.owners = owners;
        this.signatures = signatures;
    }

    Set<String> calls() {
        return calls;
    }

    Set<String> innerClasses() {
        return Set.copyOf(inner);
    }

    @Override
    public void visit(
            int version, int access, String internalName, String signature, String superName, String[] interfaces) {
        name = internalName;
    }

    @Override
    public void visitInnerClass(String member, String outer, String simpleName, int access) {
        if (owners.contains(name) && member.startsWith(name + "$")) {
            inner.add(member);
        }
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String caller, String descriptor, String signature, String[] exceptions) {
        // A bridge calls its own method, and Kotlin's method of default arguments the one that it is for.
        boolean forwards = (access & Opcodes.ACC_BRIDGE) != 0 || caller.endsWith(DEFAULT_ARGUMENTS);
        return forwards ? new MethodVisitor(api) {} : new Body(caller, (access & Opcodes.ACC_STATIC) != 0);
    }

    /** Follows which of the objects of the class on the stack is this one; does without the values of other types. */
    private final class Body extends MethodVisitor {
        private final String caller;
        private final boolean isStatic;
        private final Deque<Boolean> objects = new ArrayDeque<>();

        Body(String caller, boolean isStatic) {
            super(SelfInvocationFinder.this.api);
            this.caller = caller;
            this.isStatic = isStatic;
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            if (opcode == Opcodes.ALOAD && variable == 0 && !isStatic) {
                objects.push(true);
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
            if (opcode == Opcodes.GETFIELD && owner.equals(name)) {
                objects.poll();
            }
            if ((opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC) && isOwn(Type.getType(descriptor))) {
                objects.push(field.startsWith("this$"));
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.CHECKCAST && owners.contains(type)) {
                objects.push(false);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            boolean onOwn = owners.contains(owner) || owner.equals(name);
            if (opcode == Opcodes.INVOKESTATIC) {
                if (onOwn && called.endsWith(DEFAULT_ARGUMENTS)) {
                    String of = called.substring(0, called.length() - DEFAULT_ARGUMENTS.length());
                    if (isThis() && signatures.stream().anyMatch(each -> each.startsWith(of + "("))) {
                        add(of);
                    }
                }
            } else if (onOwn) {
                if (isThis() && owners.contains(owner) && signatures.contains(called + descriptor)) {
                    add(called);
                }
                objects.poll();
            }
            if (isOwn(Type.getReturnType(descriptor))) {
                objects.push(false);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(
                String called, String descriptor, Handle bootstrap, Object... bootstrapArguments) {
            for (Object argument : bootstrapArguments) {
                if (argument instanceof Handle handle
                        && owners.contains(handle.getOwner())
                        && isThis()
                        && signatures.contains(handle.getName() + handle.getDesc())) {
                    add(handle.getName());
                }
            }
        }

        private boolean isThis() {
            return Boolean.TRUE.equals(objects.peek());
        }

        private boolean isOwn(Type type) {
            return type.getSort() == Type.OBJECT && owners.contains(type.getInternalName());
        }

        private void add(String called) {
            String simpleName = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
            String method = caller.startsWith("lambda$")
                    ? caller.substring("lambda$".length(), caller.lastIndexOf('$'))
                    : caller;
            calls.add(simpleName + "." + method + " calls " + called + " of its own class, which has a @RowLock");
        }
    }
}
