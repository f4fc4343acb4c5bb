package org.rowlock.internal.sql;

import java.util.Locale;
import java.util.Set;
import org.rowlock.internal.text.SqlComments;

/**
 * What matters of the text of a write.
 *
 * @param text as it is sent, without a semicolon
 * @param keyword its first word, in lower case
 * @param changes whether it is an INSERT, UPDATE or DELETE, and not one behind a WITH
 * @param returning whether it has a RETURNING of its own
 * @param parameters how many
 * @param statements how many there are in fact
 */
public record WriteForm(
        String text, String keyword, boolean changes, boolean returning, int parameters, int statements) {
    private static final Set<String> TRANSACTION_CONTROL =
            Set.of("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare");

    /** The first word of a text, in lower case, behind comments and brackets; empty where there is none. */
    public static String keyword(String sql) {
        int at = 0;
        while (at < sql.length()) {
            int behind = SqlComments.end(sql, at);
            if (behind > at) {
                at = behind;
            } else if (Character.isWhitespace(sql.charAt(at)) || sql.charAt(at) == '(') {
                at++;
            } else {
                break;
            }
        }
        int end = at;
        while (end < sql.length() && Character.isLetter(sql.charAt(end))) {
            end++;
        }
        return sql.substring(at, end).toLowerCase(Locale.ROOT);
    }

    /** Whether it would begin or end a transaction, or a part of one. */
    public boolean isTransactionControl() {
        return TRANSACTION_CONTROL.contains(keyword);
    }
}
