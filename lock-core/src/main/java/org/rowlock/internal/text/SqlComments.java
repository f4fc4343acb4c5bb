package org.rowlock.internal.text;

/** Finds comments in SQL, as the server and the driver do. */
public final class SqlComments {
    private SqlComments() {}

    /**
     * Returns the index after a comment that begins at the given index, or the index itself if no comment begins there.
     * The end of the line is not part of the comment. An unclosed comment ends with the text.
     */
    public static int end(String sql, int begin) {
        int at = begin;
        if (sql.startsWith("--", at)) {
            while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
                at++;
            }
        } else if (sql.startsWith("/*", at)) {
            // PostgreSQL allows nested comments.
            int depth = 0;
            do {
                boolean opens = sql.startsWith("/*", at);
                boolean closes = sql.startsWith("*/", at);
                depth += opens ? 1 : closes ? -1 : 0;
                at += opens || closes ? 2 : 1;
            } while (depth > 0 && at < sql.length());
        }
        return at;
    }
}
