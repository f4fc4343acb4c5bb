package org.rowlock.doctor;

import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns what the server or the driver says into what the user can do. */
public final class ServerFailures {
    /** What speaks PostgreSQL's protocol and has lock views of its own, or none, by its version(). */
    private static final Map<String, String> OTHERS = Map.of(
            "CockroachDB",
            "CockroachDB",
            "-YB-",
            "YugabyteDB",
            "Redshift",
            "Amazon Redshift",
            "Greenplum",
            "Greenplum",
            "openGauss",
            "openGauss",
            "Materialize",
            "Materialize");

    private ServerFailures() {}

    /**
     * Makes sure that it is PostgreSQL.
     *
     * @param version what it says of itself
     * @throws UserError if it is not
     */
    public static void refuseOtherDatabases(ServerAddress address, String version) {
        OTHERS.forEach((mark, name) -> {
            if (version.contains(mark)) {
                throw new UserError("The server at " + address + " is " + name + ", which locks rows in its own way:"
                        + " what is read and measured here is how PostgreSQL does it, and would mean nothing there. Use"
                        + " the tools of " + name + '.');
            }
        });
        if (!version.startsWith("PostgreSQL") && !version.startsWith("EnterpriseDB")) {
            throw new UserError("The server at " + address + " is no PostgreSQL (" + version + "), and what is read and"
                    + " measured here is how PostgreSQL locks.");
        }
    }

    /** For a failure to connect, or to do the first things there. */
    public static UserError at(ServerAddress server, Throwable failure) {
        if (failure instanceof UserError known) {
            return known;
        }
        SQLException sql = sqlExceptionIn(failure);
        String state = sql == null || sql.getSQLState() == null ? "" : sql.getSQLState();
        return new UserError(message(server, state, describe(failure), failure), failure);
    }

    private static String message(ServerAddress server, String state, String said, Throwable failure) {
        return switch (state) {
            // 08004 is also what the driver gives when the server wants a password and none was given.
            case "28P01", "28000", "08004" ->
                "The server at " + server + " refused the login: " + said
                        + " Check --user and --password (without a value it asks), or PGPASSWORD.";
            case "3D000" ->
                "The server at " + server + " has no such database: " + said
                        + " Name one that exists at the end of --url.";
            case "42501" ->
                "The user may not do what is needed at " + server + ": " + said
                        + " Grant it, or give another user with --user.";
            case "25006" -> readOnly(server);
            case "53300" ->
                "The server at " + server + " has no connection left for us: " + said
                        + " Close some, raise the limit (max_connections, or that of the role or the database), or give"
                        + " another user with --user.";
            case "57P03" ->
                "The server at " + server + " takes no connections now: " + said
                        + " It is starting, stopping or recovering; try again when it is ready.";
            default -> unnamed(server, state, said, failure);
        };
    }

    private static String unnamed(ServerAddress server, String state, String said, Throwable failure) {
        if (said.contains("unsupported startup parameter")) {
            return "What answers at " + server + " is a connection pooler, not PostgreSQL itself: " + said
                    + " Give the address of the server behind it with --url.";
        }
        if (!state.startsWith("08")) {
            return "This failed at " + server + ": " + said;
        }
        if (causeIn(failure, UnknownHostException.class) != null) {
            return "Cannot reach a PostgreSQL server at " + server
                    + ": there is no host of this name. Check the host in" + " --url.";
        }
        return "Cannot reach a PostgreSQL server at " + server + ": " + firstSentence(said)
                + " Check that it runs and lets this machine in, and that host and port in --url are right.";
    }

    /** For a server where the benchmarks could not write. */
    public static String readOnly(ServerAddress server) {
        return "Transactions at " + server + " are read-only (default_transaction_read_only is on), and the benchmarks"
                + " have to write. Give a user that may write with --user, or another server with --url.";
    }

    /** One line: the message, with the SQLSTATE where there is one. */
    public static String describe(Throwable failure) {
        SQLException sql = sqlExceptionIn(failure);
        Throwable told = sql == null ? failure : sql;
        String message = told.getMessage();
        String line = message == null || message.isBlank()
                ? told.getClass().getName()
                : message.lines().findFirst().orElse(message).strip();
        String state = sql == null || sql.getSQLState() == null ? "" : " (SQLSTATE " + sql.getSQLState() + ")";
        String text = line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
        return text + state + ".";
    }

    /** The driver's own advice about host and port is ours already. */
    private static String firstSentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    /** The innermost, as a pool wraps the server's in its own. */
    private static @Nullable SQLException sqlExceptionIn(Throwable failure) {
        return causeIn(failure, SQLException.class);
    }

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
