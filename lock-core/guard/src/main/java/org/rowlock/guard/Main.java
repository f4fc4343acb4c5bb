package org.rowlock.guard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** {@code java -jar lock-guard.jar}: prints the SQL of {@link RowLockGuard}, for a migration or for psql. */
final class Main {
    private static final String USAGE = """
            Prints the SQL of Rowlock's guard and audit. It connects to nothing; give the SQL to psql or to a migration.

              guard TABLE... [--budget N] [--id-columns A,B]   refuse writers of these tables that do not lock
              audit TABLE... [--sample S] [--id-columns A,B]   note them
              remove-guard TABLE...
              remove-audit TABLE...
              remove                                           remove all guards, audits and notes

              --budget      the most rows a transaction may write without locking them; default 1000
              --sample      the share of statements to look at, such as 0.01; default 1
              --id-columns  the columns that the application locks by, where they are not the primary key

            For example: java -jar lock-guard.jar guard account orders | psql --single-transaction DATABASE
            """;

    private Main() {}

    public static void main(String[] arguments) {
        String sql;
        try {
            sql = sql(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + System.lineSeparator() + System.lineSeparator() + USAGE);
            System.exit(2);
            return;
        }
        System.out.print(sql);
    }

    /**
     * The SQL that the arguments ask for.
     *
     * @throws IllegalArgumentException if they are none
     */
    static String sql(String... arguments) {
        if (arguments.length == 0 || List.of("--help", "-h", "help").contains(arguments[0])) {
            return USAGE;
        }
        List<String> rest = new ArrayList<>(Arrays.asList(arguments).subList(1, arguments.length));
        return switch (arguments[0]) {
            case "guard" -> {
                List<String> columns = columns(rest);
                int budget = number(option(rest, "--budget", "1000"), "--budget", Integer::valueOf);
                yield RowLockGuard.schemaSql() + each(rest, table -> RowLockGuard.guardSql(table, budget, columns));
            }
            case "audit" -> {
                List<String> columns = columns(rest);
                double sample = number(option(rest, "--sample", "1"), "--sample", Double::valueOf);
                yield RowLockGuard.schemaSql() + each(rest, table -> RowLockGuard.auditSql(table, sample, columns));
            }
            case "remove-guard" -> each(rest, RowLockGuard::guardRemovalSql);
            case "remove-audit" -> each(rest, RowLockGuard::auditRemovalSql);
            case "remove" -> {
                if (!rest.isEmpty()) {
                    throw new IllegalArgumentException("remove takes no table; it removes everything");
                }
                yield RowLockGuard.removalSql();
            }
            default -> throw new IllegalArgumentException("There is no command " + arguments[0]);
        };
    }

    private static String each(List<String> tables, Function<String, String> sql) {
        if (tables.isEmpty()) {
            throw new IllegalArgumentException("No table is named");
        }
        StringBuilder all = new StringBuilder();
        for (String table : tables) {
            if (table.startsWith("--")) {
                throw new IllegalArgumentException("There is no option " + table + " here");
            }
            all.append(sql.apply(table));
        }
        return all.toString();
    }

    private static List<String> columns(List<String> arguments) {
        String columns = option(arguments, "--id-columns", "");
        return columns.isEmpty() ? List.of() : List.of(columns.split(",", -1));
    }

    /** Takes an option and its value out of the arguments. */
    private static String option(List<String> arguments, String name, String otherwise) {
        int at = arguments.indexOf(name);
        if (at < 0) {
            return otherwise;
        }
        if (at + 1 == arguments.size()) {
            throw new IllegalArgumentException(name + " needs a value");
        }
        arguments.remove(at);
        return arguments.remove(at);
    }

    private static <T> T number(String text, String option, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " " + text + " is not a number", e);
        }
    }
}
