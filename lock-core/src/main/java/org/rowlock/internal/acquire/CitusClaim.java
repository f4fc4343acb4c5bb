package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockStrategy;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ScriptRunner;
import org.rowlock.internal.sql.CitusClaimSql;

/**
 * A claim on Citus, in three round trips for each look at the queue: candidates, their keys, the rows. What is locked may
 * be finished by then, and is left out.
 */
final class CitusClaim {
    private static final int SMALLEST_PAGE = 16;
    private static final int LARGEST_PAGE = 1_000;
    private static final int MOST_LOOKS = 64;

    private final PgSession session;
    private final Claim claim;
    private final LockStrategy strategy;
    private final RowTable table;
    private final CitusClaimSql sql;
    private final Taker taker;
    private int taken;

    CitusClaim(PgSession session, Claim claim, LockStrategy strategy, RowTable table, Taker taker) {
        this.session = session;
        this.claim = claim;
        this.strategy = strategy;
        this.table = table;
        this.sql = new CitusClaimSql(claim, table);
        this.taker = taker;
    }

    /** Takes a row that is locked. */
    @FunctionalInterface
    interface Taker {
        void take(List<String> id, ResultSet row) throws SQLException;
    }

    /** Looks at the first result of the first look: the guard's. */
    @FunctionalInterface
    interface GuardCheck {
        void check(ResultSet row) throws SQLException;
    }

    void run(GuardCheck guard) throws SQLException {
        List<List<String>> seen = new ArrayList<>();
        int page = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, claim.limit() * 2));
        for (int looks = 0; looks < MOST_LOOKS && taken < claim.limit(); looks++) {
            List<List<String>> candidates = candidates(seen, page, looks == 0 ? guard : null);
            for (int at = 0; at < candidates.size() && taken < claim.limit(); ) {
                at += lockAndRead(candidates.subList(at, candidates.size()));
            }
            if (candidates.size() < page) {
                return;
            }
            seen.addAll(candidates);
            page = Math.min(LARGEST_PAGE, page * 2);
        }
    }

    private List<List<String>> candidates(List<List<String>> seen, int page, @Nullable GuardCheck guard)
            throws SQLException {
        List<String> hold = sql.hold();
        String candidates = sql.candidates(!seen.isEmpty());
        String text = guard == null
                ? candidates
                : Stream.concat(hold.stream(), Stream.of(sql.guard(strategy.takesRowLock()), candidates))
                        .collect(Collectors.joining("\n;"));
        try (PreparedStatement statement = session.prepareScript(text, LockQuery.hasUntyped(claim.binds()))) {
            int at = 1;
            if (guard != null) {
                statement.setString(at++, table.name());
            }
            sql.bindCandidates(statement, at, seen, page);
            statement.execute();
            if (guard != null) {
                for (int i = 0; i < hold.size(); i++) {
                    statement.getMoreResults();
                }
                try (ResultSet row = statement.getResultSet()) {
                    row.next();
                    guard.check(row);
                }
                statement.getMoreResults();
            }
            List<List<String>> ids = new ArrayList<>();
            try (ResultSet row = statement.getResultSet()) {
                while (row.next()) {
                    ids.add(ScriptRunner.readId(row, 1, table));
                }
            }
            return ids;
        }
    }

    /** Gives how many candidates it has tried. */
    private int lockAndRead(List<List<String>> candidates) throws SQLException {
        int wanted = claim.limit() - taken;
        if (!strategy.takesAdvisoryLock()) {
            int tried = Math.min(wanted, candidates.size());
            read(candidates.subList(0, tried));
            return tried;
        }
        List<Integer> locked = tryLock(candidates, wanted);
        read(locked.stream().map(candidates::get).toList());
        return locked.size() < wanted ? candidates.size() : locked.get(locked.size() - 1) + 1;
    }

    private List<Integer> tryLock(List<List<String>> candidates, int wanted) throws SQLException {
        List<Integer> locked = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(sql.tryLock())) {
            sql.bindTryLock(statement, candidates, wanted);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    locked.add(row.getInt(1) - 1);
                }
            }
        }
        return locked;
    }

    private void read(List<List<String>> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        String text = String.join("\n;", Collections.nCopies(ids.size(), sql.read(strategy.takesRowLock())));
        try (PreparedStatement statement = session.prepareScript(text, LockQuery.hasUntyped(claim.binds()))) {
            int at = 1;
            for (List<String> id : ids) {
                at = sql.bindRead(statement, at, id);
            }
            statement.execute();
            for (List<String> id : ids) {
                try (ResultSet row = statement.getResultSet()) {
                    while (row.next()) {
                        taken++;
                        taker.take(id, row);
                    }
                }
                statement.getMoreResults();
            }
        }
    }
}
