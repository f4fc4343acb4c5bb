package org.rowlock;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.rowlock.ScriptStatement.Result;

/**
 * The statements of one round trip. They are sent as one composite, so each has a snapshot of its own and an error in
 * one keeps those behind it from running. Immutable and without values, so that it can be kept.
 */
final class LockScript {
    private final String sql;
    private final List<ScriptStatement> statements;
    private final boolean bounded;
    private final Savepoint savepoint;

    /** What a failure can be rolled back to, with the transaction staying usable. */
    enum Savepoint {
        /** Nothing; where the transaction had not begun, all of it can be. */
        NONE,
        /** To before the script. */
        AROUND,
        /** To before the script, as long as it is the guard of the advisory lock that refuses. */
        AROUND_GUARD
    }

    /**
     * A script.
     *
     * @param statements its statements
     * @param bounded whether it fails where a lock cannot be had in time, which must leave the transaction usable
     * @param savepoint what a failure can be rolled back to
     */
    LockScript(List<ScriptStatement> statements, boolean bounded, Savepoint savepoint) {
        // The line break ends a comment that a caller's query may end with.
        this.sql = statements.stream().map(ScriptStatement::sql).collect(Collectors.joining("\n;"));
        this.statements = List.copyOf(statements);
        this.bounded = bounded;
        this.savepoint = savepoint;
    }

    String sql() {
        return sql;
    }

    List<ScriptStatement> statements() {
        return statements;
    }

    /** The texts of the statements that are not the caller's own. */
    List<String> ownStatements() {
        return statements.stream()
                .filter(part -> part.result() != Result.QUERY)
                .map(ScriptStatement::sql)
                .toList();
    }

    boolean isBounded() {
        return bounded;
    }

    Savepoint savepoint() {
        return savepoint;
    }

    void bind(PreparedStatement statement, ScriptValues values) throws SQLException {
        int at = 1;
        for (ScriptStatement part : statements) {
            at = part.binder().bind(statement, at, values);
        }
    }
}
