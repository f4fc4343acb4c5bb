package org.rowlock.spring.internal.annotation;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;

/** Parses the expressions of ids, and finds at startup what would fail at the first call. */
final class IdExpressions {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Pattern BY_POSITION = Pattern.compile("[ap](\\d{1,3})");

    private IdExpressions() {}

    /**
     * Parses one.
     *
     * @throws RowLockDefinitionException if it is no expression, or uses what is no parameter
     */
    static SpelExpression parse(Method method, String where, String text) {
        SpelExpression expression;
        try {
            expression = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is no expression: " + e.getMessage() + ".",
                    "Write it in SpEL, such as #orderId or #command.orderId.");
        }
        String @Nullable [] names = MethodLocks.NAMES.getParameterNames(method);
        check(method, where, text, names, expression.getAST(), false);
        return expression;
    }

    /** The parameter that an expression is, and nothing else; -1 for all others. */
    static int parameter(Method method, SpelExpression expression) {
        if (!(expression.getAST() instanceof VariableReference variable)) {
            return -1;
        }
        String name = name(variable);
        String[] names = MethodLocks.NAMES.getParameterNames(method);
        int index = names == null ? -1 : List.of(names).indexOf(name);
        return index >= 0 ? index : position(method, name);
    }

    /** What an expression names last: {@code orderId} for {@code #command.orderId}; empty if that is no name. */
    static String name(SpelExpression expression) {
        SpelNode last = expression.getAST();
        if (last instanceof CompoundExpression) {
            last = last.getChild(last.getChildCount() - 1);
        }
        return last instanceof VariableReference variable
                ? name(variable)
                : last instanceof PropertyOrFieldReference property
                        ? property.getName()
                        : last instanceof MethodReference call ? call.getName() : "";
    }

    /**
     * The type of what an expression yields, where that is a path from a parameter: {@code #command.orderId}. Null
     * where only a call shows it.
     */
    static @Nullable ResolvableType type(Method method, SpelExpression expression) {
        if (!(expression.getAST() instanceof CompoundExpression path)
                || !(path.getChild(0) instanceof VariableReference variable)) {
            return null;
        }
        String[] names = MethodLocks.NAMES.getParameterNames(method);
        int named = names == null ? -1 : List.of(names).indexOf(name(variable));
        int index = named >= 0 ? named : position(method, name(variable));
        ResolvableType type = index < 0 ? null : ResolvableType.forMethodParameter(method, index);
        for (int i = 1; i < path.getChildCount() && type != null; i++) {
            type = step(type, path.getChild(i));
        }
        return type;
    }

    private static @Nullable ResolvableType step(ResolvableType type, SpelNode node) {
        Class<?> owner = type.resolve();
        if (owner == null) {
            return null;
        }
        if (node instanceof PropertyOrFieldReference property) {
            PropertyDescriptor described = BeanUtils.getPropertyDescriptor(owner, property.getName());
            Method getter = described != null && described.getReadMethod() != null
                    ? described.getReadMethod()
                    : ReflectionUtils.findMethod(owner, property.getName());
            return getter == null ? null : returned(getter, type);
        }
        if (node instanceof MethodReference call && call.getChildCount() == 0) {
            Method method = ReflectionUtils.findMethod(owner, call.getName());
            return method == null ? null : returned(method, type);
        }
        return null;
    }

    /** With the variables of a generic owner, such as those of a map, as it binds them. */
    private static ResolvableType returned(Method method, ResolvableType owner) {
        return ResolvableType.forType(method.getGenericReturnType(), owner.as(method.getDeclaringClass()));
    }

    /** @param element whether the node is evaluated for the elements of a selection or projection, which it can name */
    private static void check(
            Method method, String where, String text, String @Nullable [] names, SpelNode node, boolean element) {
        if (node instanceof VariableReference variable) {
            if (!(element && name(variable).equals("this"))) {
                check(method, where, text, names, name(variable));
            }
        } else if (node instanceof FunctionReference) {
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is '" + text + "', which calls a function that is not there.",
                    "Call a method of a parameter, of a type (T(...)) or of a bean (@name).");
        } else if (!element && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            String name = node.toStringAST();
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is '" + text + "', where '" + name + "' names no parameter.",
                    "Parameters begin with a number sign: '#" + (text.startsWith(name) ? text : name) + "'.");
        }
        boolean elements = element || node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean ofTheOneBefore = node instanceof CompoundExpression && i > 0;
            if (ofTheOneBefore && child instanceof MethodReference) {
                for (int argument = 0; argument < child.getChildCount(); argument++) {
                    check(method, where, text, names, child.getChild(argument), elements);
                }
            } else if (!(ofTheOneBefore && child instanceof PropertyOrFieldReference)) {
                check(method, where, text, names, child, elements || isKey(node));
            }
        }
    }

    /** The keys of a map, and of an index into one, are names and not properties. */
    private static boolean isKey(SpelNode node) {
        return node instanceof InlineMap || node instanceof Indexer;
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    private static int position(Method method, String variable) {
        var position = BY_POSITION.matcher(variable);
        int index = position.matches() ? Integer.parseInt(position.group(1)) : -1;
        return index < method.getParameterCount() ? index : -1;
    }

    private static void check(Method method, String where, String text, String @Nullable [] names, String variable) {
        if ((names != null && List.of(names).contains(variable)) || position(method, variable) >= 0) {
            return;
        }
        String problem = "The id of @RowLock on " + where + " is '" + text + "', but ";
        if (names == null) {
            throw new RowLockDefinitionException(
                    problem + "the names of the parameters are not in the class file.",
                    "Compile with -parameters, write #p0 for the first parameter, or annotate the parameter itself.");
        }
        throw new RowLockDefinitionException(
                problem + "there is no parameter " + variable + "; there is "
                        + (names.length == 0 ? "none" : String.join(", ", names)) + ".",
                "Name one of these, or #p0 for the first.");
    }
}
