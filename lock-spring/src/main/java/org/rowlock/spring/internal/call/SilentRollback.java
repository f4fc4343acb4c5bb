package org.rowlock.spring.internal.call;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.dao.InvalidDataAccessApiUsageException;

/** A commit that the server answers with a rollback, of which the driver says nothing. */
final class SilentRollback {
    private SilentRollback() {}

    /**
     * Looks whether an error that was caught has aborted the transaction: the server would answer COMMIT with a
     * rollback, of which the driver says nothing. It asks the driver, and takes no round trip.
     */
    static void refuse(Connection connection) {
        if (isAborted(connection)) {
            // Not Spring's UnexpectedRollbackException, for which the transaction manager would not roll back.
            throw new InvalidDataAccessApiUsageException(
                    "A statement of the transaction failed and the work went on, but PostgreSQL had aborted the"
                            + " transaction and would have answered COMMIT with a rollback: nothing of it is stored."
                            + " Let the work throw what its statements throw, or put a savepoint around the statement"
                            + " that may fail (Propagation.NESTED).",
                    firstError(connection));
        }
    }

    /** If a connection is lost, the commit itself reports it. */
    private static boolean isAborted(Connection connection) {
        try {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        } catch (SQLException e) {
            return false;
        }
    }

    /** The driver keeps the first error of a transaction, and gives it as the cause of any that follows. */
    private static @Nullable SQLException firstError(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
            return null;
        } catch (SQLException e) {
            return e.getCause() instanceof SQLException first ? first : e;
        }
    }
}
