package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.RowLockDefinition.Source;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The expression of an id, or of a part of an id. Syntax errors and names of unknown parameters, which would otherwise
 * appear at the first call, are reported at startup.
 */
record IdExpression(Method method, String where, String text) {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Pattern BY_POSITION = Pattern.compile("[ap](\\d{1,3})");

    static Source read(Method method, String where, String text) {
        SpelExpression parsed;
        try {
            parsed = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is not a valid expression: " + e.getMessage() + ".",
                    "Write the id in SpEL, such as #orderId or #command.orderId.");
        }
        IdExpression expression = new IdExpression(method, where, text);
        expression.check(parsed.getAST(), false, false);
        if (parsed.getAST() instanceof VariableReference argument) {
            int index = expression.index(argument.toStringAST().substring(1));
            return (arguments, variables) -> arguments[index];
        }
        return (arguments, variables) -> parsed.getValue(variables.get());
    }

    /**
     * @param element whether the node is evaluated for each element of a selection or projection, and can use #this
     * @param named whether a bare name means a property of the node before it, or a key
     */
    private void check(SpelNode node, boolean element, boolean named) {
        if (node instanceof PropertyOrFieldReference && !element && !named) {
            String name = node.toStringAST();
            throw refused(", but " + name + " has no # before it, so it is not a parameter.", "Write #" + name + ".");
        }
        if (node instanceof VariableReference) {
            String variable = node.toStringAST().substring(1);
            if (index(variable) < 0 && !(element && variable.equals("this"))) {
                throw unknown(variable);
            }
        }
        boolean elements = element || node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean follows = i > 0 && node instanceof CompoundExpression;
            check(node.getChild(i), elements, follows || node instanceof InlineMap || node instanceof Indexer);
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
