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
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.ReleaseSql;
import org.rowlock.internal.text.SqlState;

/**
 * The last statements of one transaction: COMMIT, and what goes around it, in one flush. Made anew for each, but COMMIT
 * alone.
 */
public final class Ending {
    /** As the driver itself has it, so that a monitor of statements knows it. */
    static final String COMMIT = "COMMIT";

    static final Ending PLAIN = new Ending(null, false, () -> {});

    private final @Nullable ReleaseSql sql;
    private final boolean early;
    private final Runnable failed;

    /** Distinguishes one transaction's from another's that had the session before. */
    private final String mark;

    private @Nullable String kept;
    private @Nullable String confirmed;

    /** Chooses, when the transaction is to end. */
    @FunctionalInterface
    public interface Choice {
        Choice PLAIN = session -> Ending.PLAIN;

        Ending of(PgSession session) throws SQLException;
    }

    /**
     * @param sql what goes around the COMMIT, or null for nothing
     * @param early whether COMMIT lets go of the locks at once, and what follows waits until it is durable; else COMMIT
     *     waits until all is durable that the transaction may have read, also if it has written nothing itself
     * @param failed is called if what goes around it cannot be done here any more
     */
    Ending(@Nullable ReleaseSql sql, boolean early, Runnable failed) {
        this.sql = sql;
        this.early = early;
        this.failed = failed;
        this.mark =
                early ? HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) : "";
    }

    boolean isPlain() {
        return sql == null;
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
     * Makes sure that what was waited for was what the transaction was to wait for, and reports if not: a pooler
     * may have sent what is behind the COMMIT by another session.
     *
     * @param warning of the server, that it has not waited for its standby
     * @return what ended the wait, if it is not known to be durable
     */
    @Nullable
    SQLException confirm(PgSession session, @Nullable SQLWarning warning) {
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
            return session.takeReplicationWarning();
        } catch (SQLException e) {
            PgSession.rollBack(connection, e);
            return e;
        }
    }

    /** What became of a COMMIT. */
    enum Fate {
        /** It is stored, and not known to be durable. */
        DONE,
        UNDONE,
        UNKNOWN
    }

    /** Where the server has answered the flush of the COMMIT with an error. */
    Fate fate(PgSession session, SQLException e) throws SQLException {
        boolean mayBeBehind = early ? mayBeConfirmations(e) : ServerErrors.mayBeBehindCommit(e);
        // A transaction that is left refutes it.
        if (!mayBeBehind || (!session.isClosed() && session.hasBegun())) {
            if (!early && SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                failed.run();
            }
            return Fate.UNDONE;
        }
        return early && !session.isClosed() ? ask(session, e) : Fate.UNKNOWN;
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
            // Else the pooler has asked another session.
            return session.serverProcess() == row.getInt(2) ? Fate.UNDONE : Fate.UNKNOWN;
        } catch (SQLException notAsked) {
            e.addSuppressed(notAsked);
            return Fate.UNKNOWN;
        } finally {
            PgSession.rollBack(connection, e);
        }
    }

    /** Whether it is an error that can come from behind the COMMIT, and not only from it or from what is in front. */
    private static boolean mayBeConfirmations(SQLException e) {
        String state = SqlState.of(e);
        return ServerErrors.isServers(e)
                // Its timer runs on behind the COMMIT.
                && (state.equals(SqlState.TRANSACTION_TIMEOUT)
                        || Stream.of("23", "25", "40", "P0").noneMatch(state::startsWith));
    }
}
