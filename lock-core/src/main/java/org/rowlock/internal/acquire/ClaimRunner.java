package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockAcquisition.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.LockWait;
import org.rowlock.RowMapper;
import org.rowlock.internal.observe.LockAcquisitionEvent;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.OpenRows;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ScriptRunner;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.ClaimSql;
import org.rowlock.internal.sql.ClaimTexts;
import org.rowlock.internal.sql.Guard;

/** Runs one claim on a session. */
final class ClaimRunner<T> {
    /** More than others are likely to hold at the head of the queue; if they do, the next look goes further. */
    private static final int PAGE = 1_000;

    private static final int NEXT_PAGE_TIMES = 10;

    /**
     * Whoever has some rows goes on with these after so many looks. Among dozens of workers the candidates are finished by
     * others before it gets to them, and looking for the last ones it would hold the others up.
     */
    private static final int MOST_LOOKS = 3;

    /** Whoever has none gives up after so many. */
    private static final int MOST_LOOKS_FOR_ONE = 64;

    private final PgSession session;
    private final LockRequests requests;
    private final ClaimTexts texts;
    private final LockObserver observer;
    private final Claim claim;
    private final RowMapper<T> mapper;
    private final LockStrategy strategy;
    private final OpenRows taken = new OpenRows();
    private final List<List<String>> takenIds = new ArrayList<>();
    private final List<LockKey> takenKeys = new ArrayList<>();
    private @Nullable RowTable table;

    ClaimRunner(
            PgSession session,
            LockRequests requests,
            ClaimTexts texts,
            LockObserver observer,
            Claim claim,
            RowMapper<T> mapper) {
        this.session = session;
        this.requests = requests;
        this.texts = texts;
        this.observer = observer;
        this.claim = claim;
        this.mapper = mapper;
        this.strategy = requests.strategyOf(claim);
    }

    List<T> claim() throws SQLException {
        try (taken) {
            take();
            return taken.map(mapper);
        }
    }

    private void take() throws SQLException {
        if (strategy.takesAdvisoryLock() && claim.limit() > requests.budget()) {
            throw new LockBudgetExceededException(
                    "Cannot " + claim + ": the budget is " + requests.budget() + " advisory locks in one call. Claim"
                            + " fewer rows at a time, or raise the budget with RowLocks.builder().lockBudget().",
                    claim.limit());
        }
        LockAcquisitionEvent event = observer.begin();
        long start = System.nanoTime();
        Outcome outcome = Outcome.FAILED;
        try {
            refuseOnCitus();
            if (strategy == LockStrategy.ROW) {
                skipLocked();
            } else {
                byAdvisoryLocksOrLookUpAgain();
            }
            outcome = Outcome.ACQUIRED;
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
        PreparedStatement statement = taken.keep(session.prepare(ClaimSql.skipLocked(claim)));
        statement.setInt(LockQuery.bind(statement, 1, claim.binds()), claim.limit());
        taken.add(statement.executeQuery());
    }

    /** A table that was replaced since it was looked up is looked up again, once. */
    private void byAdvisoryLocksOrLookUpAgain() throws SQLException {
        boolean begun = session.hasBegun();
        try {
            byAdvisoryLocks();
            return;
        } catch (LockTargetException e) {
            RowTable known = table;
            if (known == null || !e.isStale() || !takenIds.isEmpty()) {
                throw e;
            }
            requests.forgetTable(session, claim, known);
            if (!e.isUndone()) {
                throw e;
            }
        } catch (SQLException e) {
            RowTable known = table;
            if (known == null
                    || !takenIds.isEmpty()
                    || !ServerErrors.isIdentityGone(
                            List.of(new ClaimSql(claim, known, strategy.takesRowLock()).lock(PAGE, false)), null, e)) {
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
        refuseOnCitus(); // The look-up may have found it out.
        ClaimSql sql = new ClaimSql(claim, known, strategy.takesRowLock());
        // Rows whose keys others hold stay locked, so as few as can be.
        int page = strategy.takesRowLock() ? claim.limit() : Math.max(PAGE, claim.limit());
        for (int looks = 1; takenIds.size() < claim.limit(); looks++) {
            Look look = lockAndRead(sql, known, page);
            boolean noMore = !look.isAnyFinished() && look.tried() < page;
            if (noMore || looks >= (takenIds.isEmpty() ? MOST_LOOKS_FOR_ONE : MOST_LOOKS)) {
                return;
            }
            if (!look.isAnyFinished()) {
                page = (int) Math.min(Integer.MAX_VALUE, (long) Math.max(PAGE, page) * NEXT_PAGE_TIMES);
            }
        }
    }

    /**
     * A look at the queue.
     *
     * @param locked how many rows were locked
     * @param read how many of these still met the predicate
     * @param tried how many were tried where not as many as wanted were locked; else 0
     */
    private record Look(int locked, int read, int tried) {
        /** What was seen is old then: those behind may be finished too, and a fresh look finds others. */
        boolean isAnyFinished() {
            return read < locked;
        }
    }

    private Look lockAndRead(ClaimSql sql, RowTable table, int page) throws SQLException {
        String text = texts.of(sql, page, !takenIds.isEmpty());
        PreparedStatement statement =
                taken.keep(session.prepareScript(text, LockQuery.hasUntyped(claim.binds()), true));
        int read = sql.bindLock(statement, 1, takenIds, claim.limit() - takenIds.size());
        LockQuery.bind(statement, read, claim.binds());
        statement.execute();
        int locked;
        int tried;
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            checkGuard(row);
            locked = row.getInt(4);
            tried = row.getInt(5);
        }
        statement.getMoreResults();
        int before = takenIds.size();
        ResultSet rows = statement.getResultSet();
        int id = rows.getMetaData().getColumnCount() - table.columns().size() + 1;
        while (rows.next()) {
            took(ScriptRunner.readId(rows, id, table));
        }
        rows.beforeFirst();
        taken.add(rows);
        if (takenIds.isEmpty()) {
            // The next look finds the same statement prepared.
            taken.close();
        }
        return new Look(locked, takenIds.size() - before, tried);
    }

    /** Citus runs a statement that names a table on a machine of its choice, and the keys would be locked there. */
    private void refuseOnCitus() throws SQLException {
        if (requests.citus().contains(session)) {
            throw new LockTargetException(
                    "Cannot " + claim
                            + ": the database has Citus, where Rowlock does not claim rows. Nothing was locked."
                            + " Send FOR UPDATE SKIP LOCKED for the rows of one value of the distribution column, or lock"
                            + " a name in front of the choice of a job.",
                    null,
                    null);
        }
    }

    private void took(List<String> id) {
        takenIds.add(id);
        // A program cannot name a row whose id is blank.
        if (id.stream().noneMatch(String::isBlank)) {
            takenKeys.add(new Row(claim.table(), id));
        }
    }

    private void checkGuard(ResultSet row) throws SQLException {
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
