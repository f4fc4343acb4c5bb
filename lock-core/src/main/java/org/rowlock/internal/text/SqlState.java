package org.rowlock.internal.text;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The SQLSTATEs that Rowlock treats specially.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL error codes</a>
 */
public final class SqlState {
    public static final String CONNECTION_CLASS = "08";
    public static final String CONNECTION_NOT_ESTABLISHED = "08001";
    public static final String TRANSACTION_RESOLUTION_UNKNOWN = "08007";
    public static final String PROTOCOL_VIOLATION = "08P01";
    public static final String CONNECTION_FAILURE = "08006";
    public static final String CONNECTION_DOES_NOT_EXIST = "08003";

    /** The AWS driver has connected again after a failover. If a COMMIT was sent before, its outcome is unknown. */
    public static final String CONNECTED_ANEW = "08S02";

    public static final String INVALID_PARAMETER_VALUE = "22023";
    public static final String INVALID_TEXT_REPRESENTATION = "22P02";
    public static final String DATA_EXCEPTION_CLASS = "22";
    public static final String ACTIVE_SQL_TRANSACTION = "25001";
    public static final String READ_ONLY_SQL_TRANSACTION = "25006";
    public static final String NO_ACTIVE_SQL_TRANSACTION = "25P01";
    public static final String IN_FAILED_SQL_TRANSACTION = "25P02";
    public static final String INVALID_SQL_STATEMENT_NAME = "26000";
    public static final String INVALID_TRANSACTION_TERMINATION = "2D000";
    public static final String SERIALIZATION_FAILURE = "40001";
    public static final String STATEMENT_COMPLETION_UNKNOWN = "40003";
    public static final String DEADLOCK_DETECTED = "40P01";
    public static final String INSUFFICIENT_PRIVILEGE = "42501";
    public static final String SYNTAX_CLASS = "42";
    public static final String UNDEFINED_COLUMN = "42703";
    public static final String UNDEFINED_FUNCTION = "42883";
    public static final String UNDEFINED_OBJECT = "42704";
    public static final String GROUPING_ERROR = "42803";
    public static final String WRONG_OBJECT_TYPE = "42809";
    public static final String UNDEFINED_TABLE = "42P01";
    public static final String DUPLICATE_PREPARED_STATEMENT = "42P05";
    public static final String INVALID_SAVEPOINT = "3B001";
    public static final String INVALID_SCHEMA_NAME = "3F000";
    public static final String INVALID_NAME = "42602";
    public static final String FEATURE_NOT_SUPPORTED = "0A000";
    public static final String OUT_OF_MEMORY = "53200";
    public static final String PROGRAM_LIMIT_EXCEEDED = "54000";
    public static final String OBJECT_NOT_IN_STATE = "55000";
    public static final String LOCK_NOT_AVAILABLE = "55P03";
    public static final String QUERY_CANCELED = "57014";
    public static final String ADMIN_SHUTDOWN = "57P01";
    private static final String CRASH_SHUTDOWN = "57P02";
    public static final String NO_DATA_FOUND = "P0002";
    public static final String TOO_MANY_ROWS = "P0003";
    private static final String IDLE_SESSION_TIMEOUT = "57P05";
    private static final String IDLE_IN_TRANSACTION_TIMEOUT = "25P03";
    public static final String TRANSACTION_TIMEOUT = "25P04";

    /**
     * The transaction is committed, but possibly not durable. The SQL standard leaves classes such as RL to
     * implementations, and PostgreSQL does not use this class. State 08007 of the standard is unsuitable, because other
     * libraries run the work again after a state of class 08.
     */
    public static final String COMMIT_NOT_CONFIRMED = "RL001";

    /** The SQLSTATEs of errors with which the server ends a session. */
    private static final Set<String> ENDED = Set.of(
            ADMIN_SHUTDOWN, CRASH_SHUTDOWN, IDLE_SESSION_TIMEOUT, IDLE_IN_TRANSACTION_TIMEOUT, TRANSACTION_TIMEOUT);

    private SqlState() {}

    public static String of(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    /** Whether a privilege, a function or a feature is missing, so that the request would fail again. */
    public static boolean isRefusal(@Nullable String state) {
        return state != null && (state.startsWith("42") || state.startsWith("0A"));
    }

    /** Whether the server has ended the session because it was idle. */
    public static boolean isIdleTimeout(@Nullable String state) {
        return IDLE_SESSION_TIMEOUT.equals(state) || IDLE_IN_TRANSACTION_TIMEOUT.equals(state);
    }

    public static boolean isConnectionLost(@Nullable String state) {
        return state != null && (state.startsWith(CONNECTION_CLASS) || ENDED.contains(state));
    }
}
