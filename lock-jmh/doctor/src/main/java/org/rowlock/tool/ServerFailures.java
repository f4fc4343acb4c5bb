package org.rowlock.tool;

import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.SqlState;

public final class ServerFailures {
    private static final int OLDEST = 14;

    /** Products that speak PostgreSQL's protocol but lack its lock views, by their names in version(). */
    private static final Pattern OTHERS = Pattern.compile("CockroachDB|-YB-|Redshift|Greenplum|openGauss|Materialize");

    private ServerFailures() {}

    /** Checks that the server is PostgreSQL, and not too old. */
    public static void refuseOthers(ServerAddress address, String version, int major) {
        Matcher other = OTHERS.matcher(version);
        boolean isOther = other.find();
        if (isOther || !version.matches("(PostgreSQL|EnterpriseDB).*")) {
            String name = isOther ? other.group().replace("-YB-", "YugabyteDB") : "no PostgreSQL (" + version + ")";
            throw new UserError(
                    "The server at " + address + " is " + name + ", which locks rows in its own way, and this program"
                            + " knows only the locks of PostgreSQL. Give a PostgreSQL server with --url.");
        }
        if (major < OLDEST) {
            throw new UserError("The server at " + address + " is " + version + ", and " + OLDEST + " is the oldest"
                    + " PostgreSQL whose pg_locks shows how long a session waited for a lock. Give a newer one that"
                    + " carries the same load with --url.");
        }
    }

    /** Returns a message with advice for a failure to connect or to run the first statements. */
    public static UserError at(ServerAddress server, Throwable failure) {
        if (failure instanceof UserError known) {
            return known;
        }
        SQLException sql = causeIn(failure, SQLException.class);
        String state = sql == null ? "" : SqlState.of(sql);
        // The driver's own advice on host and port would repeat the advice below.
        String said = describe(failure).replaceFirst("\\. Check .*?(?= \\(SQLSTATE)", "");
        String key = said.contains("unsupported startup parameter")
                ? "pooler"
                : causeIn(failure, UnknownHostException.class) != null ? "host" : state;
        String advice = Texts.words("failure." + key);
        boolean isUnreachable = advice.isEmpty() && state.startsWith("08");
        return new UserError(
                "The server at " + server + " cannot be used: " + said + ' '
                        + (isUnreachable ? Texts.words("failure.08") : advice),
                failure);
    }

    /** Describes a failure in one line: its message, with the SQLSTATE if there is one. */
    public static String describe(Throwable failure) {
        SQLException sql = causeIn(failure, SQLException.class);
        Throwable told = sql == null ? failure : sql;
        String message = told.getMessage() == null ? "" : told.getMessage().strip();
        String line = message.lines().findFirst().orElse(told.getClass().getName());
        String state = sql == null || sql.getSQLState() == null ? "" : " (SQLSTATE " + sql.getSQLState() + ")";
        return Texts.printable(line.replaceFirst("\\.$", "") + state + ".");
    }

    /** Returns the innermost cause of this type. A pool wraps the server's exception in its own exception. */
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
