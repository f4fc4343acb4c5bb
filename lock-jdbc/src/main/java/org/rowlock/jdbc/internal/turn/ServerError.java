package org.rowlock.jdbc.internal.turn;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Lets the server raise the error that it would have raised, so that the transaction is as aborted as it would be. */
final class ServerError {
    private static final String CANCELED = "57014";
    private static final String MESSAGE = "canceling statement due to user request";

    private ServerError() {}

    /** The error of a statement that was cancelled. */
    static SQLException canceled(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("do 'begin raise exception using errcode = ''" + CANCELED + "'', message = ''" + MESSAGE
                    + "''; end'");
        } catch (SQLException e) {
            // Without PL/pgSQL the transaction is aborted all the same, and without a connection it is gone.
            boolean raised = CANCELED.equals(e.getSQLState()) || connectionIsGone(e);
            return raised ? e : new SQLException("ERROR: " + MESSAGE, CANCELED, e);
        }
        return new SQLException("ERROR: " + MESSAGE, CANCELED);
    }

    private static boolean connectionIsGone(SQLException e) {
        return e.getSQLState() != null
                && (e.getSQLState().startsWith("08") || e.getSQLState().equals("57P01"));
    }
}
