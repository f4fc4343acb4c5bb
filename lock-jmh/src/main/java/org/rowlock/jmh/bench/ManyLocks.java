package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocks;
import org.rowlock.TransactionWork;
import org.rowlock.jmh.bench.Variant.Method;

/** Runs work in a transaction that locks many accounts at once, as the variant has it. Thread-safe. */
final class ManyLocks {
    private static final int DEFAULT_BUDGET = 1_000;

    private static final String FOR_UPDATE =
            "select 1 from " + Accounts.TABLE + " where aid = any(cast(? as int4[])) order by aid for update";

    /** In the order that other callers have, or they would deadlock. */
    private static final String BY_HAND = "select pg_advisory_xact_lock(4711, k.aid)"
            + " from (select distinct aid from unnest(cast(? as int4[])) as a(aid) order by aid offset 0) as k";

    /** The ways. */
    enum Form {
        /** {@code SELECT ... FOR UPDATE}, written by hand. */
        FOR_UPDATE,
        /** Rowlock's lockAll with the strategy of that name. */
        ROW,
        BOTH,
        ADVISORY,
        /** Advisory locks, written by hand. */
        NAIVE,
        /** No lock. Never compared; shows that the checks notice. */
        NONE;

        boolean isRowlock() {
            return this == ROW || this == BOTH || this == ADVISORY;
        }

        boolean isAdvisory() {
            return this == BOTH || this == ADVISORY || this == NAIVE;
        }
    }

    private final Form form;
    private final boolean admission;
    private final DataSource pool;
    private final Accounts accounts;
    private final Transactions transactions;
    private final RowLocks locks;

    /**
     * Makes it.
     *
     * @param most the most keys that a transaction locks
     */
    ManyLocks(String variant, DataSource pool, Accounts accounts, int most) {
        this.admission = Forms.hasAdmission(variant);
        this.form = form(variant);
        this.pool = pool;
        this.accounts = accounts;
        this.transactions = new Transactions(new Variant(Method.NONE, false, false), pool);
        this.locks = (form.isRowlock() ? Forms.locks(form.name()) : RowLocks.builder())
                .lockBudget(Math.max(most, DEFAULT_BUDGET))
                .build();
    }

    static Form form(String variant) {
        return Forms.parse(Form.class, Forms.withoutAdmission(variant));
    }

    /** Borrows a connection, begins, locks the accounts, works, commits, and returns the connection. */
    void run(Integer[] aids, TransactionWork<?, SQLException> work) throws SQLException {
        if (admission) {
            locks.inTransaction(pool, keys(aids), RowLockMode.FOR_UPDATE, LockWait.forever(), connection -> {
                work.apply(connection);
                return null;
            });
            return;
        }
        transactions.inTransaction(connection -> {
            lock(connection, aids);
            work.apply(connection);
            return null;
        });
    }

    private void lock(Connection connection, Integer[] aids) throws SQLException {
        switch (form) {
            case ROW, BOTH, ADVISORY -> {
                int absent =
                        locks.in(connection).lockAll(keys(aids)).absentRows().size();
                if (absent > 0) {
                    throw new InvariantViolation(absent + " of the accounts to be locked were not found");
                }
            }
            case FOR_UPDATE -> execute(connection, FOR_UPDATE, aids);
            case NAIVE -> execute(connection, BY_HAND, aids);
            case NONE -> {}
        }
    }

    private List<LockKey> keys(Integer[] aids) {
        return Arrays.stream(aids).map(accounts::key).toList();
    }

    private static void execute(Connection connection, String sql, Integer[] aids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("int4", aids));
            statement.execute();
        }
    }
}
