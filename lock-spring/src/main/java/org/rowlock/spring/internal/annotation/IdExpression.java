package org.rowlock.spring.internal.annotation;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Matcher;
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
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;

/** The expression of an id, or of a part of one: finds at startup what would fail at the first call. */
final class IdExpression {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Pattern BY_POSITION = Pattern.compile("[ap](\\d{1,3})");

    private final Method method;
    private final String where;
    private final String text;
    private final String @Nullable [] names;

    private IdExpression(Method method, String where, String text) {
        this.method = method;
        this.where = where;
        this.text = text;
        this.names = MethodLocks.NAMES.getParameterNames(method);
    }

    /** Refuses what is no expression, or uses what is no parameter. */
    static IdPart read(Method method, String where, String text) {
        SpelExpression parsed;
        try {
            parsed = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is no expression: " + e.getMessage() + ".",
                    "Write it in SpEL, such as #orderId or #command.orderId.");
        }
        IdExpression expression = new IdExpression(method, where, text);
        SpelNode root = parsed.getAST();
        expression.check(root, false, false);
        return root instanceof VariableReference variable
                ? IdPart.argument(expression.index(variable), expression.type(variable), name(variable))
                : new IdPart(
                        call -> parsed.getValue(call.variables().get()),
                        IdPart.typeOf(
                                root instanceof InlineList list ? expression.element(list) : expression.type(root)),
                        name(root));
    }

    /** What an expression names last: {@code orderId} for {@code #command.orderId}; empty if that is no name. */
    private static String name(SpelNode root) {
        SpelNode last = root instanceof CompoundExpression ? root.getChild(root.getChildCount() - 1) : root;
        return last instanceof VariableReference variable
                ? name(variable)
                : last instanceof PropertyOrFieldReference property
                        ? property.getName()
                        : last instanceof MethodReference call ? call.getName() : "";
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    /** The type of each id of a list, by its first. Null for lists in it, which are ids of several parts. */
    private @Nullable ResolvableType element(InlineList list) {
        ResolvableType first = list.getChildCount() == 0 ? null : type(list.getChild(0));
        return first == null || IdPart.typeOf(first).orElse(null) != first.resolve() ? null : first;
    }

    /**
     * The type of what an expression yields, where that is a parameter or a path from one: {@code #command.orderId}.
     * Null where only a call shows it.
     */
    private @Nullable ResolvableType type(SpelNode node) {
        if (node instanceof VariableReference variable) {
            return index(variable) < 0 ? null : type(variable);
        }
        ResolvableType type = node instanceof CompoundExpression ? type(node.getChild(0)) : null;
        for (int i = 1; i < node.getChildCount() && type != null; i++) {
            type = step(type, node.getChild(i));
        }
        return type;
    }

    private ResolvableType type(VariableReference variable) {
        return ResolvableType.forMethodParameter(method, index(variable));
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

    /**
     * @param isName whether the node follows a dot, or is the key of a map or of an index into one
     * @param element whether it is evaluated for the elements of a selection or projection, which it can name
     */
    private void check(SpelNode node, boolean isName, boolean element) {
        if (node instanceof VariableReference variable) {
            if (index(variable) < 0 && !(element && name(variable).equals("this"))) {
                throw unknown(name(variable));
            }
        } else if (node instanceof FunctionReference) {
            throw refused(
                    ", which calls a function that is not there.",
                    "Call a method of a parameter, of a type (T(...)) or of a bean (@name).");
        } else if (!isName
                && !element
                && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            String name = node.toStringAST();
            throw refused(
                    ", where '" + name + "' names no parameter.",
                    "Parameters begin with a number sign: '#" + (text.startsWith(name) ? text : name) + "'.");
        }
        boolean elements = element || node instanceof Selection || node instanceof Projection;
        boolean keys = node instanceof InlineMap || node instanceof Indexer;
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i), keys || (i > 0 && node instanceof CompoundExpression), elements);
        }
    }

    /** The parameter that a variable is; -1 for none. */
    private int index(VariableReference variable) {
        String name = name(variable);
        int named = names == null ? -1 : List.of(names).indexOf(name);
        Matcher position = BY_POSITION.matcher(name);
        int index = named < 0 && position.matches() ? Integer.parseInt(position.group(1)) : named;
        return index < method.getParameterCount() ? index : -1;
    }

    private RowLockDefinitionException unknown(String variable) {
        if (names == null) {
            return refused(
                    ", but the names of the parameters are not in the class file.",
                    "Compile with -parameters, write #p0 for the first parameter, or annotate the parameter itself.");
        }
        return refused(
                ", but there is no parameter " + variable + "; there is "
                        + (names.length == 0 ? "none" : String.join(", ", names)) + ".",
                "Name one of these, or #p0 for the first.");
    }

    private RowLockDefinitionException refused(String why, String action) {
        return new RowLockDefinitionException("The id of @RowLock on " + where + " is '" + text + "'" + why, action);
    }
}
