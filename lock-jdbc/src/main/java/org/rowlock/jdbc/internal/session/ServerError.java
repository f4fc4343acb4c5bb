package org.rowlock.jdbc.internal.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.internal.text.SqlState;

/** Lets the server raise the error that it would have raised, so that the transaction is as aborted as it would be. */
public final class ServerError {
    private static final String MESSAGE = "canceling statement due to user request";

    private ServerError() {}

    /** The error of a statement that was cancelled. */
    public static SQLException canceled(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("do 'begin raise exception using errcode = ''" + SqlState.QUERY_CANCELED
                    + "'', message = ''" + MESSAGE + "''; end'");
        } catch (SQLException e) {
            // Without PL/pgSQL the transaction is aborted all the same, and without a connection it is gone.
            boolean raised =
                    SqlState.QUERY_CANCELED.equals(e.getSQLState()) || SqlState.isConnectionLost(e.getSQLState());
            return raised ? e : new SQLException("ERROR: " + MESSAGE, SqlState.QUERY_CANCELED, e);
        }
        return new SQLException("ERROR: " + MESSAGE, SqlState.QUERY_CANCELED);
    }
}
