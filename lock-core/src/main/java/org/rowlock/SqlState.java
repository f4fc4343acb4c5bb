package org.rowlock;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The SQLSTATEs that Rowlock understands.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL error codes</a>
 */
final class SqlState {
    static final String CONNECTION_CLASS = "08";
    static final String PROTOCOL_VIOLATION = "08P01";
    static final String CONNECTION_DOES_NOT_EXIST = "08003";
    static final String INVALID_PARAMETER_VALUE = "22023";
    static final String INVALID_TEXT_REPRESENTATION = "22P02";
    static final String DATA_EXCEPTION_CLASS = "22";
    static final String READ_ONLY_SQL_TRANSACTION = "25006";
    static final String IN_FAILED_SQL_TRANSACTION = "25P02";
    static final String INVALID_SQL_STATEMENT_NAME = "26000";
    static final String SERIALIZATION_FAILURE = "40001";
    static final String STATEMENT_COMPLETION_UNKNOWN = "40003";
    static final String DEADLOCK_DETECTED = "40P01";
    static final String INSUFFICIENT_PRIVILEGE = "42501";
    static final String UNDEFINED_COLUMN = "42703";
    static final String UNDEFINED_FUNCTION = "42883";
    static final String UNDEFINED_OBJECT = "42704";
    static final String GROUPING_ERROR = "42803";
    static final String WRONG_OBJECT_TYPE = "42809";
    static final String UNDEFINED_TABLE = "42P01";
    static final String DUPLICATE_PREPARED_STATEMENT = "42P05";
    static final String INVALID_SCHEMA_NAME = "3F000";
    static final String INVALID_NAME = "42602";
    static final String FEATURE_NOT_SUPPORTED = "0A000";
    static final String OUT_OF_MEMORY = "53200";
    static final String LOCK_NOT_AVAILABLE = "55P03";
    static final String QUERY_CANCELED = "57014";
    static final String ADMIN_SHUTDOWN = "57P01";
    static final String CRASH_SHUTDOWN = "57P02";
    static final String IDLE_SESSION_TIMEOUT = "57P05";
    static final String IDLE_IN_TRANSACTION_TIMEOUT = "25P03";
    static final String TRANSACTION_TIMEOUT = "25P04";

    private SqlState() {}

    static String of(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    static boolean isConnectionLost(@Nullable String state) {
        return state != null
                && (state.startsWith(CONNECTION_CLASS)
                        || state.equals(ADMIN_SHUTDOWN)
                        || state.equals(CRASH_SHUTDOWN)
                        || state.equals(IDLE_SESSION_TIMEOUT)
                        || state.equals(IDLE_IN_TRANSACTION_TIMEOUT)
                        || state.equals(TRANSACTION_TIMEOUT));
    }
}
