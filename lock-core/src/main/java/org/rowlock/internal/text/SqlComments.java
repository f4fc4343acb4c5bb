package org.rowlock.internal.text;

/** Comments in SQL, as the server and the driver have them. */
public final class SqlComments {
    private SqlComments() {}

    public static boolean beginsAt(String sql, int at) {
        return sql.startsWith("--", at) || sql.startsWith("/*", at);
    }

    /**
     * Behind the comment that begins here, but for the end of its line; here where none begins. What is never closed
     * ends with the text.
     */
    public static int end(String sql, int at) {
        if (sql.startsWith("--", at)) {
            return endOfLine(sql, at);
        }
        return sql.startsWith("/*", at) ? endOfBlock(sql, at) : at;
    }

    private static int endOfLine(String sql, int from) {
        int at = from;
        while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
            at++;
        }
        return at;
    }

    /** They may be nested. */
    private static int endOfBlock(String sql, int from) {
        int depth = 0;
        int at = from;
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
}
