package org.rowlock.internal.value;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.text.Arguments;

/**
 * The caller's INSERT for a row to lock. The INSERT does nothing if the row exists.
 *
 * @param sql one INSERT without ON CONFLICT
 */
public record Insert(LockKey.Row key, String sql, List<@Nullable Object> binds) {
    private static final Pattern ON_CONFLICT = Pattern.compile("(?i)\\bon\\s+conflict\\b");

    public Insert {
        Arguments.text(sql, "The INSERT for " + key, "one statement");
        if (ON_CONFLICT.matcher(sql).find()) {
            throw new IllegalArgumentException("The INSERT for " + key + " has an ON CONFLICT; remove it, because"
                    + " Rowlock adds its own. (If these words are in a literal, pass the literal as a parameter.) "
                    + sql);
        }
    }

    /** Returns the SQL to send. The line break ends a -- comment at the end of the caller's statement. */
    public String text() {
        return withoutSemicolon(sql) + "\non conflict do nothing";
    }

    /**
     * Returns the SQL without semicolons at its end, because Rowlock appends more SQL to the statement. The driver
     * removes a semicolon only at the end of the whole text.
     */
    public static String withoutSemicolon(String sql) {
        int end = sql.length();
        while (end > 0 && (sql.charAt(end - 1) == ';' || Character.isWhitespace(sql.charAt(end - 1)))) {
            end--;
        }
        return sql.substring(0, end);
    }
}
