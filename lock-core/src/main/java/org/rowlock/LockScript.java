package org.rowlock;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The statements of one round trip. They are sent as one composite, so each has a snapshot of its own and an error in
 * one keeps those behind it from running. Immutable and without values, so that it can be kept.
 */
final class LockScript {
    private final String sql;
    private final List<ScriptStatement> statements;
    private final boolean savepoint;

    LockScript(List<ScriptStatement> statements) {
        // The line break ends a comment that a caller's query may end with.
        this.sql = statements.stream().map(ScriptStatement::sql).collect(Collectors.joining("\n;"));
        this.statements = List.copyOf(statements);
        this.savepoint = statements.contains(WaitSql.SAVEPOINT);
    }

    String sql() {
        return sql;
    }

    List<ScriptStatement> statements() {
        return statements;
    }

    /** Whether a failure can be rolled back to before the script, with the transaction staying usable. */
    boolean hasSavepoint() {
        return savepoint;
    }

    void bind(PreparedStatement statement, ScriptValues values) throws SQLException {
        int at = 1;
        for (ScriptStatement part : statements) {
            at = part.binder().bind(statement, at, values);
        }
    }
}
