package org.rowlock.internal.text;

/** Comments in SQL, as the server and the driver have them. */
public final class SqlComments {
    private SqlComments() {}

    /**
     * Behind the comment that begins here, but for the end of its line; here where none begins. What is never closed
     * ends with the text.
     */
    public static int end(String sql, int begin) {
        int at = begin;
        if (sql.startsWith("--", at)) {
            while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
                at++;
            }
        } else if (sql.startsWith("/*", at)) {
            // They may be nested.
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
