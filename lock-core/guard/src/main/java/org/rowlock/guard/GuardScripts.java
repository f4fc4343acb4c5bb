package org.rowlock.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.stream.Collectors;
import org.rowlock.LockKey;

/** The SQL files, and calls of the functions that they make. */
final class GuardScripts {
    private GuardScripts() {}

    static String schema() {
        return file("keys.sql") + '\n' + file("guard.sql") + '\n' + file("audit.sql");
    }

    static String removal() {
        return file("removal.sql");
    }

    /** A statement that calls a function for a table, named as in SQL. */
    static String call(String function, String table, String moreArguments) {
        return "select rowlock." + function + '('
                + literal(LockKey.row(table, 0).table()) + moreArguments + ");\n";
    }

    /** The argument that names id columns; nothing where the primary key is meant. */
    static String idColumns(Collection<String> columns) {
        return columns.isEmpty()
                ? ""
                : columns.stream()
                        .map(GuardScripts::literal)
                        .collect(Collectors.joining(", ", ", id_columns => array[", "]::text[]"));
    }

    /** Means the same whatever standard_conforming_strings is. */
    private static String literal(String text) {
        String quoted = '\'' + text.replace("\\", "\\\\").replace("'", "''") + '\'';
        return text.indexOf('\\') < 0 ? quoted : 'E' + quoted;
    }

    private static String file(String name) {
        try (InputStream in = GuardScripts.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "The jar of lock-core has no " + name + "; was it repackaged without it?");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The jar of lock-core cannot be read", e);
        }
    }
}
