package org.rowlock.spring.internal.annotation;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * The expression of an id, or of a part of an id. Syntax errors and names of unknown parameters, which would otherwise
 * appear at the first call, are reported at startup.
 */
record IdExpression(Method method, String where, String text) {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Pattern BY_POSITION = Pattern.compile("[ap](\\d{1,3})");

    /** A path that begins with a parameter: {@code #command.orderId}, {@code #p0?.line()}. */
    private static final Pattern PATH = Pattern.compile("(?U)#[\\w$]+(\\??\\.[\\w$]+(\\(\\))?)*");

    static IdPart read(Method method, String where, String text) {
        SpelExpression parsed;
        try {
            parsed = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is not a valid expression: " + e.getMessage() + ".",
                    "Write the id in SpEL, such as #orderId or #command.orderId.");
        }
        IdExpression expression = new IdExpression(method, where, text);
        expression.check(parsed.getAST(), false);
        return expression.part(parsed);
    }

    /**
     * Determines the type and the name of the part. The type can be determined only for a path, or for a list whose
     * first element is a path. The name is the last word of the path.
     */
    private IdPart part(SpelExpression parsed) {
        IdPart.Source evaluated = (arguments, variables) -> parsed.getValue(variables.get());
        SpelNode root = parsed.getAST();
        boolean isList = root instanceof InlineList && root.getChildCount() > 0;
        String path = (isList ? root.getChild(0) : root).toStringAST();
        if (!PATH.matcher(path).matches()) {
            return new IdPart(evaluated, Object.class, "");
        }
        String[] words = StringUtils.tokenizeToStringArray(path, "#?.()");
        String last = words[words.length - 1];
        ResolvableType type = ResolvableType.forMethodParameter(method, index(words[0]));
        if (words.length == 1 && !isList) {
            return IdPart.argument(index(last), type, last);
        }
        for (String property : List.of(words).subList(1, words.length)) {
            type = step(type, property);
        }
        Class<?> each = IdPart.typeOf(type);
        // If the elements of a list are lists, each element is an id of several parts, whose types are unknown.
        boolean isKnown = !isList || each == type.resolve(Object.class);
        return new IdPart(evaluated, isKnown ? each : Object.class, isList ? "" : last);
    }

    /**
     * Returns the type of a property, or the return type of a method. The type of the owner may bind the type variables
     * of a generic property.
     */
    private static ResolvableType step(ResolvableType owner, String name) {
        Class<?> type = owner.resolve(Object.class);
        PropertyDescriptor described = BeanUtils.getPropertyDescriptor(type, name);
        Method getter = described != null && described.getReadMethod() != null
                ? described.getReadMethod()
                : ReflectionUtils.findMethod(type, name);
        return getter == null
                ? ResolvableType.NONE
                : ResolvableType.forType(getter.getGenericReturnType(), owner.as(getter.getDeclaringClass()));
    }

    /** @param element whether the node is evaluated for each element of a selection or projection, and can use #this */
    private void check(SpelNode node, boolean element) {
        if (node instanceof VariableReference) {
            String variable = node.toStringAST().substring(1);
            if (index(variable) < 0 && !(element && variable.equals("this"))) {
                throw unknown(variable);
            }
        }
        boolean elements = element || node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i), elements);
        }
    }

    private int index(String variable) {
        String[] names = MethodLocks.NAMES.getParameterNames(method);
        int named = names == null ? -1 : List.of(names).indexOf(variable);
        Matcher position = BY_POSITION.matcher(variable);
        int index = named < 0 && position.matches() ? Integer.parseInt(position.group(1)) : named;
        return index < method.getParameterCount() ? index : -1;
    }

    private RowLockDefinitionException unknown(String variable) {
        String[] names = MethodLocks.NAMES.getParameterNames(method);
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
