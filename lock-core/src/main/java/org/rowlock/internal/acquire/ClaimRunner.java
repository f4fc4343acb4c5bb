package org.rowlock.internal.acquire;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockOutcome;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.LockWait;
import org.rowlock.RowMapper;
import org.rowlock.internal.observe.LockAcquisitionEvent;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.request.AdvisoryKeys;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.MappingException;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ScriptRunner;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.ClaimSql;
import org.rowlock.internal.sql.Guard;

/** Runs one claim on a session. */
final class ClaimRunner<T> {
    /** So small a page would cost a round trip more whenever a few workers hold the head of the queue. */
    private static final int SMALLEST_PAGE = 16;

    private static final int LARGEST_PAGE = 1_000;

    /**
     * Whoever has some rows goes on with these after so many looks at the queue. Among dozens of workers the candidates
     * are finished by others before it gets to them, and looking for the last ones it would hold the others up.
     */
    private static final int MOST_LOOKS = 3;

    /** Whoever has none gives up after so many: with pages that double, behind tens of thousands of rows held by others. */
    private static final int MOST_LOOKS_FOR_ONE = 64;

    private static final Logger LOG = System.getLogger("org.rowlock");

    private final PgSession session;
    private final LockRequests requests;
    private final LockObserver observer;
    private final Claim claim;
    private final RowMapper<T> mapper;
    private final LockStrategy strategy;
    private final List<T> taken = new ArrayList<>();
    private final List<LockKey> takenKeys = new ArrayList<>();
    private @Nullable RowTable table;
    private boolean warned;

    ClaimRunner(PgSession session, LockRequests requests, LockObserver observer, Claim claim, RowMapper<T> mapper) {
        this.session = session;
        this.requests = requests;
        this.observer = observer;
        this.claim = claim;
        this.mapper = mapper;
        this.strategy = requests.strategyOf(claim);
    }

    List<T> claim() throws SQLException {
        if (strategy.takesAdvisoryLock() && claim.limit() > requests.budget()) {
            throw new LockBudgetExceededException(
                    "Cannot " + claim + ": the budget is " + requests.budget() + " advisory locks in one call. Claim"
                            + " fewer rows at a time, or raise the budget with RowLocks.builder().lockBudget().",
                    claim.limit());
        }
        LockAcquisitionEvent event = observer.begin();
        long start = System.nanoTime();
        LockOutcome outcome = LockOutcome.FAILED;
        try {
            if (strategy == LockStrategy.ROW) {
                skipLocked();
            } else {
                byAdvisoryLocksOrLookUpAgain();
            }
            outcome = LockOutcome.ACQUIRED;
            return taken;
        } catch (MappingException e) {
            throw e.failure();
        } catch (SQLException e) {
            LockException understood = ServerErrors.isLockTarget(asked(), claim.binds(), e)
                    ? LockErrors.translate(asked(), e)
                    : LockErrors.understood(asked(), e);
            if (understood != null) {
                outcome = LockObserver.outcome(understood);
                throw understood;
            }
            throw e;
        } finally {
            observer.end(event, start, List.copyOf(takenKeys), claim.mode(), strategy, LockWait.noWait(), outcome);
        }
    }

    private void skipLocked() throws SQLException {
        try (PreparedStatement statement = session.prepare(ClaimSql.skipLocked(claim))) {
            statement.setInt(bindPredicate(statement, 1), claim.limit());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    taken.add(MappingException.map(mapper, row));
                }
            }
        }
    }

    /** A table that was replaced since it was looked up is looked up again, once. */
    private void byAdvisoryLocksOrLookUpAgain() throws SQLException {
        boolean begun = session.hasBegun();
        try {
            byAdvisoryLocks();
            return;
        } catch (LockTargetException e) {
            RowTable known = table;
            if (known == null || !e.isStale() || !taken.isEmpty()) {
                throw e;
            }
            requests.forgetTable(session, claim, known);
            if (!e.isUndone()) {
                throw e;
            }
        } catch (SQLException e) {
            RowTable known = table;
            if (known == null
                    || !taken.isEmpty()
                    || !ServerErrors.isIdentityGone(List.of(new ClaimSql(claim, known).identity()), null, e)) {
                throw e;
            }
            requests.forgetTable(session, claim, known);
            if (begun) {
                throw LockErrors.stale(asked(), false);
            }
            session.execute("rollback");
        }
        byAdvisoryLocks();
    }

    private void byAdvisoryLocks() throws SQLException {
        RowTable known = requests.tableOf(session, claim);
        table = known;
        ClaimSql sql = new ClaimSql(claim, known);
        List<List<String>> seen = new ArrayList<>();
        int page = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, claim.limit() * 2));
        for (int looks = 1; taken.size() < claim.limit(); looks++) {
            Page candidates = candidates(sql, known, seen, page, looks == 1);
            Tried tried = tryInTurn(sql, known, candidates.rows());
            boolean noMore = !tried.anyFinished() && candidates.count() < page;
            if (noMore || looks >= (taken.isEmpty() ? MOST_LOOKS_FOR_ONE : MOST_LOOKS)) {
                return;
            }
            seen.addAll(ids(candidates.rows().subList(0, tried.count())));
            seen.addAll(candidates.blank());
            if (!tried.anyFinished()) {
                page = Math.min(LARGEST_PAGE, page * 2);
            }
        }
    }

    /**
     * Candidates that were looked at.
     *
     * @param rows those that have a key
     * @param blank the ids of those that have none
     */
    private record Page(List<Row> rows, List<List<String>> blank) {
        int count() {
            return rows.size() + blank.size();
        }
    }

    private static List<List<String>> ids(List<Row> rows) {
        return rows.stream().map(Row::givenId).toList();
    }

    /**
     * How far a list of candidates was tried.
     *
     * @param anyFinished whether one that could be locked is finished. The list is old then: those behind are likely to be
     *     finished too, and a fresh look is cheaper than to lock and read all of them
     */
    private record Tried(int count, boolean anyFinished) {}

    private Tried tryInTurn(ClaimSql sql, RowTable table, List<Row> candidates) throws SQLException {
        int tried = 0;
        while (tried < candidates.size() && taken.size() < claim.limit()) {
            Tried next = lockAndRead(sql, table, candidates.subList(tried, candidates.size()));
            tried += next.count();
            if (next.anyFinished()) {
                return new Tried(tried, true);
            }
        }
        return new Tried(tried, false);
    }

    /** The first time with the guard in front, in the same round trip. */
    private Page candidates(ClaimSql sql, RowTable table, List<List<String>> seen, int page, boolean first)
            throws SQLException {
        String text = (first ? sql.guard(strategy.takesRowLock()) + "\n;" : "") + sql.candidates(!seen.isEmpty());
        List<Row> candidates = new ArrayList<>(page);
        List<List<String>> blank = new ArrayList<>(0);
        try (PreparedStatement statement = session.prepareScript(text, LockQuery.hasUntyped(claim.binds()))) {
            int at = 1;
            if (first) {
                statement.setString(at++, table.name());
            }
            at = bindPredicate(statement, at);
            if (!seen.isEmpty()) {
                at = table.bindIds(statement, at, seen);
            }
            statement.setInt(at, page);
            statement.execute();
            if (first) {
                checkGuard(statement);
                statement.getMoreResults();
            }
            try (ResultSet row = statement.getResultSet()) {
                while (row.next()) {
                    List<String> id = ScriptRunner.readId(row, 1, table);
                    if (id.stream().anyMatch(String::isBlank)) {
                        blank.add(id);
                    } else {
                        candidates.add(new Row(table.name(), id));
                    }
                }
            }
        }
        if (!blank.isEmpty() && !warned) {
            warned = true;
            LOG.log(
                    Level.WARNING,
                    "A claim leaves out rows of {0}: their ids are blank, which no key can be. Give them other ids, or"
                            + " claim with strategy ROW.",
                    table.name());
        }
        return new Page(candidates, blank);
    }

    private void checkGuard(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            Guard guard = Guard.read(row);
            if (guard.isSnapshotStale()) {
                throw staleSnapshot(guard);
            }
            if (guard.lock() == Guard.Lock.NOT_TRIED) {
                throw LockErrors.refused(asked(), guard, null);
            }
            if (!row.getBoolean(3)) {
                throw LockErrors.stale(asked(), true);
            }
        }
    }

    private LockException staleSnapshot(Guard guard) {
        return new LockTransactionException(
                LockTransactionException.Reason.ISOLATION,
                "Cannot " + claim + " (strategy ADVISORY): the transaction is " + guard.isolation()
                        + ", and its snapshot"
                        + " may show a row that another worker has just finished, which would run twice. Claim in READ"
                        + " COMMITTED, or use strategy BOTH or ROW.",
                null,
                null);
    }

    /** Tries all of the candidates, or those up to the one that reaches the limit. */
    private Tried lockAndRead(ClaimSql sql, RowTable table, List<Row> candidates) throws SQLException {
        String text = sql.tryLock() + "\n;" + sql.read(strategy.takesRowLock());
        int wanted = claim.limit() - taken.size();
        try (PreparedStatement statement = session.prepareScript(text, LockQuery.hasUntyped(claim.binds()))) {
            int at = bindCandidates(statement, table, candidates, wanted);
            at = table.bindIds(statement, at, ids(candidates));
            bindPredicate(statement, at);
            statement.execute();
            String[] locked = readLocked(statement);
            statement.getMoreResults();
            int before = taken.size();
            try (ResultSet row = statement.getResultSet()) {
                int ordinal = row.getMetaData().getColumnCount();
                while (row.next()) {
                    takenKeys.add(candidates.get(row.getInt(ordinal) - 1));
                    taken.add(MappingException.map(mapper, row));
                }
            }
            int count = locked.length < wanted ? candidates.size() : Integer.parseInt(locked[locked.length - 1]);
            return new Tried(count, taken.size() - before < locked.length);
        }
    }

    /** The ordinal numbers of the candidates that are locked now, in their order. */
    private static String[] readLocked(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            String ordinals = row.getString(1);
            return ordinals.isEmpty() ? new String[0] : ordinals.split(",");
        }
    }

    private int bindCandidates(PreparedStatement statement, RowTable table, List<Row> candidates, int limit)
            throws SQLException {
        int size = candidates.size();
        @Nullable Object[] numbers = new @Nullable Object[size];
        @Nullable Object[] texts = new @Nullable Object[size];
        Set<Row> distinct = new HashSet<>(size * 2);
        for (int i = 0; i < size; i++) {
            Row candidate = candidates.get(i);
            if (!distinct.add(candidate)) {
                continue;
            }
            if (AdvisoryKeys.isPair(candidate)) {
                numbers[i] = Integer.valueOf(candidate.id().get(0));
            } else {
                texts[i] = AdvisoryKeys.idText(candidate);
            }
        }
        statement.setString(1, table.name());
        statement.setArray(2, session.connection().createArrayOf("int4", numbers));
        statement.setArray(3, session.connection().createArrayOf("text", texts));
        statement.setInt(4, limit);
        return 5;
    }

    private int bindPredicate(PreparedStatement statement, int at) throws SQLException {
        int index = at;
        for (@Nullable Object bind : claim.binds()) {
            statement.setObject(index++, bind);
        }
        return index;
    }

    private Asked asked() {
        return new Asked(
                claim + " (strategy " + strategy + ')',
                claim.limit(),
                claim.table(),
                List.of(),
                session.isHotStandby(),
                requests.names());
    }
}
