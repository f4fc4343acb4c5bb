package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.ReleaseSql;
import org.rowlock.internal.text.SqlState;

/**
 * The COMMIT of one transaction, the statements that are sent around it in the same round trip, and its answer. Each
 * transaction has its own instance.
 */
public final class Ending {
    /** The driver itself commits with the same text, so monitoring tools recognize the text. */
    static final String COMMIT = "COMMIT";

    private final @Nullable ReleaseSql sql;
    private final boolean early;
    private final Runnable failed;

    /** A random value that distinguishes this transaction from other transactions of the session. */
    private final String mark;

    private @Nullable String kept;
    private @Nullable String confirmed;

    /** Whether the COMMIT may have been sent. The field is set before the driver sends anything. */
    private boolean sent;

    /**
     * Whether the transaction was over when the server answered the COMMIT. Set before listeners run, because a
     * listener may begin another transaction.
     */
    private boolean ended;

    /** The warnings of the COMMIT. */
    private @Nullable SQLWarning warnings;

    @FunctionalInterface
    public interface Choice {
        Choice PLAIN = session -> plain();

        Ending of(PgSession session) throws SQLException;
    }

    /**
     * @param sql the statements before and after the COMMIT, or null for a plain COMMIT
     * @param early true if the COMMIT releases the locks at once, and the statement after the COMMIT waits until the
     *     transaction is durable; false if the commit waits until all changes that the transaction may have read are
     *     durable
     * @param failed called if the statements before or after the COMMIT no longer work on this database
     */
    Ending(@Nullable ReleaseSql sql, boolean early, Runnable failed) {
        this.sql = sql;
        this.early = early;
        this.failed = failed;
        this.mark =
                early ? HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) : "";
    }

    static Ending plain() {
        return new Ending(null, false, () -> {});
    }

    boolean isPlain() {
        return sql == null;
    }

    boolean isSent() {
        return sent;
    }

    /** Records that the server has not run the COMMIT that was sent. */
    void setUnsent() {
        sent = false;
    }

    boolean isOver() {
        return ended;
    }

    /** Returns the COMMIT and the statements around it. */
    List<Part> parts(PgSession session) {
        return around(new Part(
                COMMIT,
                (statement, at, request) -> {
                    sent = true;
                    return at;
                },
                (answers, statement) -> {
                    ended = !session.hasBegun();
                    warnings = statement.getWarnings();
                }));
    }

    /** Sends the COMMIT after the writes, and not with them. */
    void sendAlone(PgSession session) throws SQLException {
        if (sql == null) {
            // The connection's own commit() is called, so that a pool or proxy notices the commit.
            sent = true;
            session.connection().commit();
        } else {
            FlushRunner.run(session, parts(session));
        }
        ended = !session.hasBegun();
        warnings = takeWarning(session.driver());
    }

    List<Part> around(Part commit) {
        if (sql == null) {
            return List.of(commit);
        }
        return early
                ? List.of(
                        new Part(
                                ReleaseSql.KEEP,
                                (statement, at, request) -> Part.bind(statement, at, List.of(mark)),
                                (answers, statement) -> kept = Part.first(statement)),
                        commit,
                        new Part(sql.confirm(), (answers, statement) -> confirmed = Part.first(statement)))
                : List.of(Part.control(sql.confirmReads()), commit);
    }

    /**
     * Checks that the server has waited until the commit was durable. A pooler may have sent the waiting statement,
     * which follows the COMMIT, to another session. In that case, this method waits now.
     *
     * @return null if the commit is durable; otherwise the warning or the error that ended the wait
     */
    @Nullable
    SQLException confirm(PgSession session) {
        SQLWarning warning = warnings == null ? null : ServerErrors.replicationWarning(warnings);
        if (!early || warning != null || (kept != null && kept.equals(confirmed))) {
            return warning;
        }
        Connection connection = session.connection();
        try {
            String level = kept == null ? "remote_apply" : kept.substring(ReleaseSql.MARK_LENGTH + 1);
            if (!level.equals("off")) {
                session.execute(ReleaseSql.confirmAt(level));
                connection.commit();
            }
            return takeWarning(session.driver());
        } catch (SQLException e) {
            PgSession.rollBack(connection, e);
            return e;
        }
    }

    private static @Nullable SQLWarning takeWarning(Connection driver) throws SQLException {
        SQLWarning found = ServerErrors.replicationWarning(driver.getWarnings());
        if (found != null) {
            driver.clearWarnings();
        }
        return found;
    }

    enum Fate {
        /** The transaction is committed, but possibly not durable. */
        DONE,
        UNDONE,
        UNKNOWN
    }

    /** Returns the outcome of a COMMIT after an error of the server. */
    Fate fate(PgSession session, SQLException e) throws SQLException {
        boolean mayBeBehind = early ? mayBeConfirmations(e) : ServerErrors.mayBeBehindCommit(e);
        // If the transaction is aborted or still open, the COMMIT has not run. Even if a pool has closed the connection
        // because of the error, isAborted() still shows the earlier state.
        if (!mayBeBehind || session.isAborted() || (!session.connection().isClosed() && session.hasBegun())) {
            if (!early && SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                failed.run();
            }
            return Fate.UNDONE;
        }
        return early && !session.connection().isClosed() ? ask(session, e) : Fate.UNKNOWN;
    }

    private Fate ask(PgSession session, SQLException e) {
        Connection connection = session.connection();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(ReleaseSql.KEPT)) {
            row.next();
            String found = row.getString(1);
            if (found != null && found.startsWith(mark)) {
                if (SqlState.isRefusal(e.getSQLState())) {
                    failed.run();
                }
                return Fate.DONE;
            }
            // If the server process differs, a pooler has sent the query to another session, and the result proves
            // nothing.
            return session.serverProcess() == row.getInt(2) ? Fate.UNDONE : Fate.UNKNOWN;
        } catch (SQLException notAsked) {
            e.addSuppressed(notAsked);
            return Fate.UNKNOWN;
        } finally {
            PgSession.rollBack(connection, e);
        }
    }

    /** Whether the error may come from a statement after the COMMIT. */
    private static boolean mayBeConfirmations(SQLException e) {
        String state = SqlState.of(e);
        return ServerErrors.isServers(e)
                // The timer of transaction_timeout may expire after the COMMIT.
                && (state.equals(SqlState.TRANSACTION_TIMEOUT)
                        || Stream.of("23", "25", "40", "P0").noneMatch(state::startsWith));
    }
}
