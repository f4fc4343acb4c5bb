package org.rowlock.guard;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The SQL by which a migration installs and removes guards and audits. */
public final class Install {
    private Install() {}

    /** Returns the SQL that creates the schema, and installs a guard for each table. */
    public static String schemaAndGuard(String... tables) {
        return RowLockGuard.schemaSql()
                + Arrays.stream(tables).map(table -> guard(table, 1_000)).collect(Collectors.joining());
    }

    public static String guard(String table, int budget, String... idColumns) {
        return call("install_guard", table, ", budget => " + budget + given(idColumns));
    }

    public static String audit(String table, double sample, String... idColumns) {
        return call("install_audit", table, ", sample => '" + sample + "'" + given(idColumns));
    }

    public static String removeGuard(String table) {
        return call("remove_guard", table, "");
    }

    public static String removeAudit(String table) {
        return call("remove_audit", table, "");
    }

    private static String call(String function, String table, String more) {
        return "select rowlock." + function + '(' + literal(table) + more + ");";
    }

    private static String given(String... columns) {
        return columns.length == 0
                ? ""
                : Arrays.stream(columns)
                        .map(Install::literal)
                        .collect(Collectors.joining(", ", ", id_columns => array[", "]"));
    }

    private static String literal(String text) {
        return '\'' + text.replace("'", "''") + '\'';
    }
}
