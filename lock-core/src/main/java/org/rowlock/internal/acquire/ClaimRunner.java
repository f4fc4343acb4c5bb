package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.LockTargetException;
import org.rowlock.RowLockMode;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.BoundedCache;
import org.rowlock.internal.sql.ClaimSql;
import org.rowlock.internal.sql.OpenRows;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.LockWait;

/**
 * Runs a claim. With strategy ROW, a claim is one statement. With the other strategies, a claim locks rows and then
 * their keys. The claim repeats these steps until it has enough rows or finds no more rows.
 *
 * @param rows the open result with the claimed rows
 */
record ClaimRunner(
        PgSession session,
        KnownTables tables,
        LockObserver observer,
        ClaimParts claim,
        OpenRows rows,
        List<List<String>> taken) {
    /**
     * The largest number of attempts to find enough rows. After the last attempt, the claim returns the rows that it
     * has claimed so far.
     */
    private static final int MOST_LOOKS = 64;

    private static final BoundedCache<ClaimSql, String> LOCKS = new BoundedCache<>();

    private static final BoundedCache<ClaimSql, String> READS = new BoundedCache<>();

    <T> List<T> claim(RowMapper<T> mapper) throws SQLException {
        try (rows) {
            take();
            return rows.map(mapper);
        }
    }

    private void take() throws SQLException {
        LockStrategy strategy = strategy();
        if (strategy != LockStrategy.ROW && claim.limit() > tables.budget()) {
            throw tables.overBudget(
                    claim + ": that is " + claim.limit() + " advisory locks", "Claim fewer rows at a time");
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
            RowlockException meaning = LockErrors.ofStatement(description(), claim.binds(), e);
            if (meaning == null) {
                throw e;
            }
            outcome = LockObserver.outcome(meaning);
            throw meaning;
        } finally {
            observer.end(begun, takenKeys(), RowLockMode.FOR_UPDATE, strategy, LockWait.NO_WAIT, outcome);
        }
    }

    private void skipLocked() throws SQLException {
        PreparedStatement statement = rows.keep(session.prepare(ClaimSql.skipLocked(claim)));
        Part.bind(statement, 1, claim.binds());
        rows.keep(statement.executeQuery());
    }

    /** Locks rows and their keys. If the table has changed since it was looked up, Rowlock looks it up again. */
    private void skipLockedWithKeys() throws SQLException {
        boolean begun = session.hasBegun();
        for (boolean again = false; ; again = true) {
            RowTable table = tables.of(session, claim.table());
            refuseOnCitus(); // The look-up of the table may have shown that the server runs Citus.
            try {
                takeAs(table);
                return;
            } catch (SQLException e) {
                if (ServerErrors.outcomeIn(e) == null && !TargetErrors.isIdentityGone(List.of(table), e)) {
                    throw e;
                }
            }
            tables.idColumns().stale(table);
            if (again || begun) {
                throw TargetErrors.stale(description(), false);
            }
            session.execute("rollback");
        }
    }

    /** Locks rows, tries to lock their keys, and reads the rows again under the locks. */
    private void takeAs(RowTable table) throws SQLException {
        taken.clear();
        List<List<String>> tried = new ArrayList<>();
        for (int looks = 1; looks <= MOST_LOOKS; looks++) {
            int wanted = claim.limit() - taken.size();
            List<List<String>> locked = lock(sql(table, !tried.isEmpty()), tried, wanted);
            if (!locked.isEmpty()) {
                tried.addAll(locked);
                List<List<String>> ids = new ArrayList<>(taken);
                ids.addAll(locked);
                read(sql(table, false), ids);
            }
            if (locked.size() < wanted || taken.size() >= claim.limit()) {
                return;
            }
        }
    }

    private ClaimSql sql(RowTable table, boolean again) {
        return new ClaimSql(table, claim.predicate(), claim.order(), claim.limit(), again);
    }

    private List<List<String>> lock(ClaimSql sql, List<List<String>> tried, int wanted) throws SQLException {
        String text = LOCKS.get(sql, ClaimSql::lock);
        try (PreparedStatement statement = session.prepareScript(text, Part.hasUntyped(claim.binds()))) {
            sql.bindLock(statement, claim, tried, wanted);
            List<List<String>> locked = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    locked.add(sql.table().readId(row, 1));
                }
            }
            return locked;
        }
    }

    private void read(ClaimSql sql, List<List<String>> ids) throws SQLException {
        String text = READS.get(sql, ClaimSql::read);
        PreparedStatement statement = rows.keep(session.prepareScript(text, Part.hasUntyped(claim.binds())));
        sql.bindRead(statement, claim, ids);
        statement.execute();
        if (sql.isVerified()) {
            statement.getMoreResults();
        }
        requireTried(statement.getResultSet(), ids.size());
        statement.getMoreResults();
        ResultSet found = statement.getResultSet();
        RowTable table = sql.table();
        int id = found.getMetaData().getColumnCount() - table.columns().size() + 1;
        taken.clear();
        while (found.next()) {
            taken.add(table.readId(found, id));
        }
        found.beforeFirst();
        rows.keep(found);
    }

    /** Refuses to continue unless the statement has tried to lock the keys of all ids. */
    private void requireTried(ResultSet row, int ids) throws SQLException {
        int tried = 0;
        while (row.next()) {
            tried++;
        }
        if (tried != ids) {
            RowlockException refused = TargetErrors.miscounted(description(), tried, ids, false);
            session.abort(refused);
            throw refused;
        }
    }

    /** Returns the keys of the claimed rows. A row with a blank id is omitted, because a blank id has no valid key. */
    private List<LockKey> takenKeys() {
        return taken.stream()
                .filter(id -> id.stream().noneMatch(String::isBlank))
                .<LockKey>map(id -> LockKey.row(claim.table(), id))
                .toList();
    }

    /**
     * Refuses a claim on Citus, where one statement can lock rows on only one machine. Citus could also lock the keys
     * and the rows on different machines.
     */
    private void refuseOnCitus() throws SQLException {
        if (tables.idColumns().isOnCitus(session)) {
            throw new LockTargetException(
                    "Cannot " + claim
                            + ": the database has the extension Citus, and Rowlock cannot claim rows there. Nothing was"
                            + " locked. Send FOR UPDATE SKIP LOCKED for the rows of one value of the distribution"
                            + " column, or lock a name before you choose a job.",
                    null,
                    null);
        }
    }

    private LockStrategy strategy() {
        return tables.strategyOf(claim.table());
    }

    private Description description() {
        return new Description(
                claim + " (strategy " + strategy() + ')',
                strategy(),
                true,
                claim.limit(),
                List.of(claim.table()),
                List.of(),
                session.readOnlyBy());
    }
}
