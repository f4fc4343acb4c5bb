package org.rowlock.internal.sql;

import java.util.Locale;
import java.util.Set;

/**
 * What matters of the text of a write.
 *
 * @param keyword its first word, in lower case
 * @param changes whether it is an INSERT, UPDATE or DELETE, and not one behind a WITH
 * @param returning whether it has a RETURNING of its own
 * @param parameters how many
 * @param statements how many there are in fact
 */
public record WriteForm(String keyword, boolean changes, boolean returning, int parameters, int statements) {
    private static final Set<String> TRANSACTION_CONTROL =
            Set.of("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare");

    /** The first word of a text, in lower case, behind comments and brackets; empty where there is none. */
    public static String keyword(String sql) {
        int at = 0;
        while (at < sql.length()) {
            char letter = sql.charAt(at);
            if (sql.startsWith("--", at)) {
                int end = sql.indexOf('\n', at);
                at = end < 0 ? sql.length() : end;
            } else if (sql.startsWith("/*", at)) {
                at = behindComment(sql, at);
            } else if (Character.isWhitespace(letter) || letter == '(') {
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

    /** Comments of this kind may be nested. */
    private static int behindComment(String sql, int start) {
        int depth = 0;
        int at = start;
        do {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
        return at;
    }

    /** Whether it would begin or end a transaction, or a part of one. */
    public boolean isTransactionControl() {
        return TRANSACTION_CONTROL.contains(keyword);
    }
}
