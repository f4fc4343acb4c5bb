package org.rowlock.spring.boot;

import java.util.regex.Pattern;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses environment variables of tables that Spring Boot would pass over in silence: in a variable an underscore
 * stands for a dot, so it can name no table that has one.
 */
final class TableVariables {
    private static final Pattern NOT_UNDERSTOOD = Pattern.compile(
            "ROWLOCK_TABLES_(?![A-Z0-9]+_(STRATEGY|ID_?COLUMNS(_[0-9]+_?)?)$).*", Pattern.CASE_INSENSITIVE);

    private TableVariables() {}

    static void check(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof SystemEnvironmentPropertySource variables) {
                for (String name : variables.getPropertyNames()) {
                    if (NOT_UNDERSTOOD.matcher(name).matches()) {
                        throw new RowLockDefinitionException(
                                "The environment variable " + name
                                        + " cannot be understood: an underscore in the name of"
                                        + " a table reads as a dot there.",
                                "Set it in a file, on the command line (--rowlock.tables.order_lines.strategy=both),"
                                        + " or in the variable SPRING_APPLICATION_JSON"
                                        + " ({\"rowlock.tables.order_lines.strategy\": \"both\"}).");
                    }
                }
            }
        }
    }
}
