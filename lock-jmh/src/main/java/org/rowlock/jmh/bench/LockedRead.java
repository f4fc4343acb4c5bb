package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.AdmissionQueues.Permit;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.jmh.bench.Variant.Method;
import org.rowlock.jmh.server.BenchmarkServer;

/** Locks an account and reads its balance, in one of the ways that an application could be written. Thread-safe. */
final class LockedRead {
    private static final String READ = "select balance from " + Accounts.TABLE + " where aid = ?";
    private static final RowMapper<Long> BALANCE = row -> row.getLong(1);

    /** The ways. */
    enum Form {
        /** {@code SELECT ... FOR UPDATE}, written by hand. */
        FOR_UPDATE,
        /** An advisory lock and then the read: two statements, written by hand. */
        NAIVE,
        /** What Rowlock sends with ADVISORY, written by hand. */
        HAND_WRITTEN,
        /** Rowlock's lockAndQuery with the strategy of that name. */
        ROW,
        BOTH,
        ADVISORY,
        /** The read alone, without a lock: the limit. */
        SELECT,
        /** Lock and read in one statement. Never compared, as it reads stale rows; shows that the check notices. */
        ONE_STATEMENT,
        /** The read alone, sold as a locked one. Never compared; shows that the check notices. */
        NONE;

        boolean isRowlock() {
            return this == ROW || this == BOTH || this == ADVISORY;
        }

        boolean isLocked() {
            return this != SELECT;
        }
    }

    private final Form form;
    private final boolean admission;
    private final BenchmarkServer server;
    private final Accounts accounts;
    private final Transactions naive;
    private final RowLocks locks;

    LockedRead(String variant, BenchmarkServer server, Accounts accounts) {
        this.admission = Forms.hasAdmission(variant);
        this.form = Forms.parse(Form.class, Forms.withoutAdmission(variant));
        this.server = server;
        this.accounts = accounts;
        this.naive = new Transactions(new Variant(Method.NAIVE, false, false), server.dataSource());
        this.locks = form.isRowlock() ? Forms.locks(form.name()).build() : naive.locks();
    }

    Form form() {
        return form;
    }

    /** Locks and reads in a transaction of the connection, and commits it. */
    long transaction(Connection connection, int aid) throws SQLException {
        if (!admission) {
            long balance = read(connection, aid);
            connection.commit();
            return balance;
        }
        // As in an application that begins transactions by other means than Rowlock's.
        Permit permit =
                locks.admission().enter(server, List.of(accounts.key(aid)), RowLockMode.FOR_UPDATE, LockWait.forever());
        try {
            long balance = read(connection, aid);
            connection.commit();
            return balance;
        } finally {
            permit.close();
        }
    }

    /** Locks and reads in the connection's transaction. */
    long read(Connection connection, int aid) throws SQLException {
        LockKey key = accounts.key(aid);
        return switch (form) {
            case FOR_UPDATE -> query(connection, READ + " for update", aid);
            case SELECT, NONE -> query(connection, READ, aid);
            case NAIVE -> {
                naive.lock(connection, key);
                yield query(connection, READ, aid);
            }
            case ONE_STATEMENT ->
                query(
                        connection,
                        "select a.balance from " + Accounts.TABLE + " as a, pg_advisory_xact_lock(42) where a.aid = ?",
                        aid);
            case HAND_WRITTEN -> HandWritten.lockAndRead(connection, READ, aid);
            case ROW, BOTH, ADVISORY ->
                locks.in(connection).lockAndQuery(key, READ, BALANCE, aid).get(0);
        };
    }

    private static long query(Connection connection, String sql, int aid) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, aid);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
