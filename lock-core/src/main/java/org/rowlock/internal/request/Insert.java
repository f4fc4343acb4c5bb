package org.rowlock.internal.request;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;

/**
 * A caller's INSERT of a row that is to be locked, which does nothing if the row is there.
 *
 * @param key of the row
 * @param sql one INSERT without ON CONFLICT
 * @param binds the values of its parameters
 */
public record Insert(LockKey.Row key, String sql, List<@Nullable Object> binds) {
    /** What is sent. The line break ends a comment that the statement may end with. */
    public String text() {
        return withoutSemicolon(sql) + "\non conflict do nothing";
    }

    /** The driver leaves out a semicolon at the end of a text; in the middle of one it would not. */
    public static String withoutSemicolon(String sql) {
        int end = sql.length();
        while (end > 0 && (sql.charAt(end - 1) == ';' || Character.isWhitespace(sql.charAt(end - 1)))) {
            end--;
        }
        return sql.substring(0, end);
    }

    public int bind(PreparedStatement statement, int at) throws SQLException {
        return Tail.bind(statement, at, binds);
    }
}
