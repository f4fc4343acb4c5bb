package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.LockWait;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.OpenRows;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.ClaimSql;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.GuardSql;
import org.rowlock.internal.sql.Kept;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.text.SqlState;

/**
 * A claim: one statement, or with keys look after look at the rows until there are enough.
 *
 * @param rows what is claimed, as the last look has found it
 * @param taken the ids of these
 */
record ClaimRunner(
        PgSession session,
        KnownTables tables,
        LockObserver observer,
        Claim claim,
        OpenRows rows,
        List<List<String>> taken) {
    /** More than others are likely to hold at the head of the queue; if they do, the next look goes further. */
    private static final int PAGE = 1_000;

    private static final int NEXT_PAGE_TIMES = 10;

    /**
     * After this many looks a claim returns the rows it has. Among dozens of workers the candidates are finished
     * by others before it gets to them, and looking for the last ones it would hold the others up.
     */
    private static final int MOST_LOOKS = 3;

    /** After this many looks a claim without a row gives up. */
    private static final int MOST_LOOKS_FOR_ONE = 64;

    /** The texts of claims, of which an application has few different ones. */
    private static final Kept<ClaimSql, String> TEXTS = new Kept<>();

    <T> List<T> claim(RowMapper<T> mapper) throws SQLException {
        try (rows) {
            take();
            return rows.map(mapper);
        }
    }

    private void take() throws SQLException {
        LockStrategy strategy = strategy();
        if (strategy != LockStrategy.ROW && claim.limit() > tables.config().budget()) {
            throw tables.config()
                    .overBudget(claim + ": that is " + claim.limit() + " advisory locks", "Claim fewer rows at a time");
        }
        Begun begun = observer.begin(Kind.ACQUISITION);
        Outcome outcome = Outcome.FAILED;
        try {
            refuseOnCitus();
            if (strategy == LockStrategy.ROW) {
                skipLocked();
            } else {
                skipLockedWithKeys();
            }
            outcome = Outcome.ACQUIRED;
        } catch (SQLException e) {
            RowlockException meaning = LockErrors.ofStatement(asked(), claim.binds(), e);
            if (meaning == null) {
                throw e;
            }
            outcome = LockObserver.outcome(meaning);
            throw meaning;
        } finally {
            observer.end(begun, takenKeys(), claim.mode(), strategy, LockWait.noWait(), outcome);
        }
    }

    private void skipLocked() throws SQLException {
        PreparedStatement statement = rows.keep(session.prepare(ClaimSql.skipLocked(claim)));
        statement.setInt(Part.bind(statement, 1, claim.binds()), claim.limit());
        rows.keep(statement.executeQuery());
    }

    /** A table that was replaced since it was looked up is looked up again, once. */
    private void skipLockedWithKeys() throws SQLException {
        boolean begun = session.hasBegun();
        for (boolean again = false; ; again = true) {
            RowTable table = tables.of(session, claim.table());
            refuseOnCitus(); // The look-up may have found it out.
            if (isTakenAs(table)) {
                return;
            }
            tables.idColumns().stale(table);
            boolean aborted = session.isAborted();
            if (again || (aborted && begun)) {
                throw TargetErrors.stale(asked(), !aborted);
            }
            if (aborted) {
                session.execute("rollback");
            }
        }
    }

    /**
     * Looks at the rows until there are enough. A further look takes the same rows again, which this transaction has,
     * and those behind them; or others in place of those that did not meet the predicate any more when it was locked.
     *
     * @return whether the table is the one that was looked up; if not nothing is locked
     */
    private boolean isTakenAs(RowTable table) throws SQLException {
        int page = claim.limit();
        for (int looks = 1; ; looks++) {
            Look look = look(new ClaimSql(
                    table, claim.predicate(), claim.order(), claim.mode(), strategy() != LockStrategy.ADVISORY, page));
            if (look == null) {
                return false;
            }
            boolean stale = taken.size() < look.locked();
            boolean noMore = taken.size() >= claim.limit() || (!stale && look.tried() < page);
            if (noMore || looks >= (taken.isEmpty() ? MOST_LOOKS_FOR_ONE : MOST_LOOKS)) {
                return true;
            }
            if (!stale) {
                page = (int) Math.min(Integer.MAX_VALUE, (long) Math.max(PAGE, page) * NEXT_PAGE_TIMES);
            }
        }
    }

    /**
     * What a look has locked.
     *
     * @param locked how many rows, of which some may not be returned
     * @param tried how many were tried where not as many as wanted were locked; else 0
     */
    private record Look(int locked, int tried) {}

    private @Nullable Look look(ClaimSql sql) throws SQLException {
        // The next look finds the same statement prepared.
        rows.close();
        taken.clear();
        String text = TEXTS.get(sql, ClaimSql::text);
        PreparedStatement statement = rows.keep(session.prepareScript(text, Part.hasUntyped(claim.binds())));
        sql.bind(statement, claim);
        try {
            statement.execute();
        } catch (SQLException e) {
            if (ServerErrors.isIdentityGone(List.of(sql.table()), e)) {
                return null;
            }
            throw e;
        }
        Look look;
        try (ResultSet row = statement.getResultSet()) {
            row.next();
            refuse(GuardSql.read(row));
            if (!row.getBoolean(3)) {
                return null;
            }
            look = new Look(row.getInt(4), row.getInt(5));
        }
        statement.getMoreResults();
        ResultSet found = statement.getResultSet();
        RowTable table = sql.table();
        int id = found.getMetaData().getColumnCount() - table.columns().size() + 1;
        while (found.next()) {
            taken.add(table.readId(found, id));
        }
        found.beforeFirst();
        rows.keep(found);
        return look;
    }

    private void refuse(Guard guard) {
        if (guard.isSnapshotStale()) {
            throw new LockTransactionException(
                    "Cannot " + claim + " (strategy ADVISORY): the transaction is " + guard.isolation()
                            + ", and its snapshot may show a row that another worker has just finished, which would run"
                            + " twice. Claim in READ COMMITTED, or use strategy BOTH or ROW.",
                    SqlState.ACTIVE_SQL_TRANSACTION,
                    null);
        }
        if (guard.lock() == Guard.Lock.NOT_TRIED) {
            throw LockErrors.refused(asked(), guard, null);
        }
    }

    /** A program cannot name a row whose id is blank. */
    private List<LockKey> takenKeys() {
        return taken.stream()
                .filter(id -> id.stream().noneMatch(String::isBlank))
                .<LockKey>map(id -> LockKey.row(claim.table(), id))
                .toList();
    }

    /** Citus runs a statement that names a table on a machine of its choice, and the keys would be locked there. */
    private void refuseOnCitus() throws SQLException {
        if (tables.idColumns().isOnCitus(session)) {
            throw new LockTargetException(
                    "Cannot " + claim
                            + ": the database has Citus, where Rowlock does not claim rows. Nothing was locked."
                            + " Send FOR UPDATE SKIP LOCKED for the rows of one value of the distribution column, or"
                            + " lock a name in front of the choice of a job.",
                    null,
                    null);
        }
    }

    private LockStrategy strategy() {
        return tables.config().strategyOf(claim.table());
    }

    private Asked asked() {
        return new Asked(
                claim + " (strategy " + strategy() + ')',
                claim.limit(),
                List.of(claim.table()),
                List.of(),
                session.isHotStandby(),
                tables.config().names());
    }
}
