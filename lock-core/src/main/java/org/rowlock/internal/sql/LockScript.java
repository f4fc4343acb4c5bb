package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.rowlock.internal.sql.ScriptStatement.Result;

/**
 * The statements of one round trip. They are sent as one composite, so each has a snapshot of its own and an error in
 * one keeps those behind it from running. Immutable and without values, so that it can be kept.
 */
public final class LockScript {
    private final String sql;
    private final List<ScriptStatement> statements;
    private final boolean bounded;
    private final Savepoint savepoint;

    /** What a failure can be rolled back to, with the transaction staying usable. */
    public enum Savepoint {
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

    public String sql() {
        return sql;
    }

    public List<ScriptStatement> statements() {
        return statements;
    }

    /** The texts of the statements that are not the caller's own. */
    public List<String> ownStatements() {
        return statements.stream()
                .filter(part -> part.result() != Result.QUERY)
                .map(ScriptStatement::sql)
                .toList();
    }

    public boolean isBounded() {
        return bounded;
    }

    public Savepoint savepoint() {
        return savepoint;
    }

    public void bind(PreparedStatement statement, ScriptValues values) throws SQLException {
        int at = 1;
        for (ScriptStatement part : statements) {
            at = part.binder().bind(statement, at, values);
        }
    }
}
