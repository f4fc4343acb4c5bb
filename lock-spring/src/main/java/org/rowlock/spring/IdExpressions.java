package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Parses the expressions of ids, and finds at startup what would fail at the first call. */
final class IdExpressions {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final Pattern BY_POSITION = Pattern.compile("[ap](\\d+)");
    private static final Set<String> OWN = Set.of("this", "root");

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
        SpelNode root = expression.getAST();
        String @Nullable [] names = MethodLocks.NAMES.getParameterNames(method);
        if (root instanceof PropertyOrFieldReference
                || (root.getChildCount() > 0 && root.getChild(0) instanceof PropertyOrFieldReference)) {
            throw new RowLockDefinitionException(
                    "The id of @RowLock on " + where + " is '" + text + "', which names no parameter.",
                    "Parameters begin with a number sign: '#" + text + "'.");
        }
        List<String> variables = new ArrayList<>();
        collect(root, variables);
        for (String variable : variables) {
            check(method, where, text, names, variable);
        }
        return expression;
    }

    private static void check(Method method, String where, String text, String @Nullable [] names, String variable) {
        var position = BY_POSITION.matcher(variable);
        if (OWN.contains(variable) || (names != null && List.of(names).contains(variable))) {
            return;
        }
        if (position.matches() && Integer.parseInt(position.group(1)) < method.getParameterCount()) {
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

    private static void collect(SpelNode node, List<String> variables) {
        if (node instanceof VariableReference) {
            variables.add(node.toStringAST().substring(1));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), variables);
        }
    }
}
