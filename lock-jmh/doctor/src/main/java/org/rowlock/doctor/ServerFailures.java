package org.rowlock.doctor;

import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.SqlState;

/** Turns an error of the server or the driver into advice for the user. */
public final class ServerFailures {
    /** The products that speak PostgreSQL's protocol but lack its lock views, as their version() shows. */
    private static final Pattern OTHERS = Pattern.compile("CockroachDB|-YB-|Redshift|Greenplum|openGauss|Materialize");

    private static final Pattern CONTROL =
            Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    private ServerFailures() {}

    /**
     * Checks that the server is PostgreSQL.
     *
     * @param version the result of version()
     * @throws UserError if it is not
     */
    public static void refuseOtherDatabases(ServerAddress address, String version) {
        Matcher other = OTHERS.matcher(version);
        boolean isOther = other.find();
        if (isOther || !version.matches("(PostgreSQL|EnterpriseDB).*")) {
            String name = isOther ? other.group().replace("-YB-", "YugabyteDB") : "no PostgreSQL (" + version + ")";
            throw new UserError(
                    "The server at " + address + " is " + name + ", which locks rows in its own way: what is"
                            + " read and measured here is how PostgreSQL does it, and would mean nothing there.");
        }
    }

    /** Describes a failure to connect, or to run the first statements. */
    public static UserError at(ServerAddress server, Throwable failure) {
        if (failure instanceof UserError known) {
            return known;
        }
        SQLException sql = causeIn(failure, SQLException.class);
        String state = sql == null ? "" : SqlState.of(sql);
        // The message already has its own advice on host and port.
        String said = describe(failure).replaceFirst("\\. Check .*?(?= \\(SQLSTATE)", "");
        String key = said.contains("unsupported startup parameter")
                ? "pooler"
                : causeIn(failure, UnknownHostException.class) != null ? "host" : state;
        String advice = Figures.words("failure." + key);
        boolean isUnreachable = advice.isEmpty() && state.startsWith("08");
        return new UserError(
                "The server at " + server + " cannot be used: " + said + ' '
                        + (isUnreachable ? Figures.words("failure.08") : advice),
                failure);
    }

    /** Describes a failure in one line: its message, with the SQLSTATE if there is one. */
    public static String describe(Throwable failure) {
        SQLException sql = causeIn(failure, SQLException.class);
        Throwable told = sql == null ? failure : sql;
        String message = told.getMessage() == null ? "" : told.getMessage().strip();
        String line = message.lines().findFirst().orElse(told.getClass().getName());
        String state = sql == null || sql.getSQLState() == null ? "" : " (SQLSTATE " + sql.getSQLState() + ")";
        return printable(line.replaceFirst("\\.$", "") + state + ".");
    }

    /** Replaces characters that control a terminal, C0, C1 and changes of direction, which a name may have. */
    public static String printable(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    /** Returns the innermost cause of this type, because a pool wraps the server's exception in its own. */
    private static <T extends Throwable> @Nullable T causeIn(Throwable failure, Class<T> type) {
        T found = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                found = type.cast(cause);
            }
        }
        return found;
    }
}
