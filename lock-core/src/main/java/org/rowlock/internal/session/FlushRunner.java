package org.rowlock.internal.session;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.sql.Answers;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.OpenRows;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.Insert;

/** Sends flushes, and reads the results of their parts in order. */
public final class FlushRunner {
    private FlushRunner() {}

    /**
     * Sends a flush in one round trip.
     *
     * @throws SQLException as the driver throws it; if a part fails at the server, the parts after it have not run
     */
    public static Outcome send(PgSession session, Flush flush, ResolvedRequest request, @Nullable Tail tail)
            throws SQLException {
        session.refuseForcedDescribe();
        boolean oneShot = tail != null && tail.isOneShot();
        for (Insert insert : request.inserts()) {
            oneShot |= Part.hasUntyped(insert.binds());
        }
        OpenRows open = tail == null ? null : tail.open();
        PreparedStatement statement = session.prepareScript(flush.sql(), oneShot);
        if (request.front() != null) {
            session.prepareAtOnce(statement);
        }
        // The caller's row mapper may expect a result set that the pool has wrapped.
        Statement results = open == null ? PgSession.driversOwn(statement) : statement;
        if (open != null) {
            open.keep(statement);
        }
        try {
            bind(statement, flush.parts(), request);
            statement.execute();
            return outcome(results, flush.parts(), new Answers(request));
        } finally {
            if (open == null) {
                Part.close(statement);
            }
        }
    }

    private static Outcome outcome(Statement statement, List<Part> parts, Answers answers) throws SQLException {
        read(statement, parts, answers);
        if (statement.getResultSet() != null || statement.getUpdateCount() != -1) {
            throw new IllegalArgumentException("The SQL of the query has more than one statement. They have run:"
                    + " roll the transaction back, and give one statement that returns rows");
        }
        return answers.outcome();
    }

    /**
     * Sends statements of Rowlock in one round trip. As with the driver's commit(), no query timeout applies, and
     * messages of deferred triggers become warnings of the connection.
     */
    public static void run(PgSession session, List<Part> parts) throws SQLException {
        PreparedStatement statement = session.prepare(Flush.textOf(parts));
        Statement results = PgSession.driversOwn(statement);
        try {
            statement.setQueryTimeout(0);
            bind(statement, parts, ResolvedRequest.NONE);
            statement.execute();
            read(results, parts, new Answers(ResolvedRequest.NONE));
        } finally {
            // A closed connection takes warnings too, so that the error that closed it is not replaced by another.
            session.addWarnings(results.getWarnings());
            Part.close(statement);
        }
    }

    /**
     * Returns how long the current transaction may wait in the JVM, in nanoseconds. Its session is idle meanwhile, so
     * the wait takes only a part of the session's limit. The query takes one round trip.
     *
     * @return 0 if the transaction has an id, and so may hold a row lock; also if the role lacks the privilege for the
     *     query
     * @throws SQLException if the query fails for another reason, for example because it is cancelled
     */
    public static long longestIdleNanos(PgSession session) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(WaitSql.IDLE_MILLIS);
            statement.getMoreResults();
            String millis = Part.first(statement);
            return millis == null
                    ? 0
                    : millis.equals("0")
                            ? Long.MAX_VALUE
                            : TimeUnit.MILLISECONDS.toNanos(Long.parseLong(millis)) / FrontSql.PART_OF_TIMEOUT;
        } catch (SQLException e) {
            if (!session.isAborted() || !SqlState.isRefusal(e.getSQLState())) {
                throw e;
            }
            session.execute(WaitSql.ROLLBACK_TO_SAVEPOINT);
            return 0;
        }
    }

    public static void bind(PreparedStatement statement, List<Part> parts, ResolvedRequest request)
            throws SQLException {
        int at = 1;
        // An index avoids the allocation of an iterator.
        for (int i = 0; i < parts.size(); i++) {
            at = parts.get(i).binder().bind(statement, at, request);
        }
    }

    /** Reads the results of parts, and moves to the result after them. */
    private static void read(Statement statement, List<Part> parts, Answers answers) throws SQLException {
        for (int i = 0; i < parts.size(); i++) {
            parts.get(i).reader().read(answers, statement);
            statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        }
    }
}
