package org.rowlock.examples.demo;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowlockException;

/** Turns what the server or the driver says into a line with what the user can do. */
final class DemoErrors {
    private DemoErrors() {}

    /** For a failure to get going: to connect, or to create the schema. */
    static DemoException atStart(Throwable failure, String server) {
        SQLException sql = sqlExceptionIn(failure);
        String state = sql == null || sql.getSQLState() == null ? "" : sql.getSQLState();
        String said = describe(failure);
        String message = switch (state) {
            // 08004 is also what the driver gives when the server wants a password and none was given.
            case "28P01", "28000", "08004" ->
                "The server at " + server + " refused the login: " + said + " Check -D" + DemoSettings.USER + " and -D"
                        + DemoSettings.PASSWORD + ".";
            case "3D000" ->
                "The server at " + server + " has no such database: " + said + " Name one that exists at the end of -D"
                        + DemoSettings.URL + ".";
            case "42501" ->
                "The demo may not create its schema at " + server + ": " + said
                        + " Grant CREATE on the database to the user, or give another one with -D"
                        + DemoSettings.USER + ".";
            case "25006" -> readOnly(server);
            case "53300" -> noRoom(server, said);
            default ->
                state.startsWith("08")
                        ? "Cannot reach a PostgreSQL server at " + server + ": " + said
                                + " Check that it runs and that host and port in -D" + DemoSettings.URL
                                + " are right."
                        : "The demo cannot start at " + server + ": " + said;
        };
        return new DemoException(message, failure);
    }

    static String readOnly(String server) {
        return "The server at " + server + " is read-only (a hot standby, or default_transaction_read_only is on), and"
                + " the demo has to write. Give the primary, or a user that may write, with -D" + DemoSettings.URL
                + ".";
    }

    static String noRoom(String server, String why) {
        return "The server at " + server + " has no room for the connections: " + why
                + " Raise max_connections there, or give fewer clients with -D" + DemoSettings.CLIENTS + ".";
    }

    /** One line: the message, with the SQLSTATE where there is one. */
    static String describe(Throwable failure) {
        SQLException sql = sqlExceptionIn(failure);
        // Rowlock's own messages say what was asked and what to do, where the server's only say what happened.
        Throwable told = sql == null || failure instanceof RowlockException ? failure : sql;
        String message = told.getMessage();
        String line = message == null || message.isBlank()
                ? told.getClass().getName()
                : message.lines().findFirst().orElse(message).strip();
        String state = sql == null || sql.getSQLState() == null ? "" : " (SQLSTATE " + sql.getSQLState() + ")";
        String text = line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
        return text + state + ".";
    }

    /** The innermost, as a pool wraps the server's in its own. */
    private static @Nullable SQLException sqlExceptionIn(Throwable failure) {
        SQLException found = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                found = sql;
            }
        }
        return found;
    }
}
