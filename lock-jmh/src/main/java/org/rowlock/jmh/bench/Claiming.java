package org.rowlock.jmh.bench;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.Claim;
import org.rowlock.RowLocks;

/** Takes rows of a table that nobody else holds: through Rowlock, or by hand. Thread-safe. */
final class Claiming {

    /** The ways. */
    enum Form {
        /** {@code FOR UPDATE SKIP LOCKED}, written by hand. */
        SKIP_LOCKED,
        /** Rowlock's claim with the strategy of that name. */
        ROW,
        BOTH,
        ADVISORY,
        /**
         * A try-lock function in the WHERE clause, written by hand: the snapshot is older than the lock, and what is
         * locked depends on the plan.
         */
        HAND_WRITTEN,
        /** No lock. Never compared; shows that the checks notice. */
        NONE;

        boolean isRowlock() {
            return this == ROW || this == BOTH || this == ADVISORY;
        }
    }

    private final Form form;
    private final RowLocks locks;
    private final Claim claim;
    private final String sql;

    /**
     * Makes it.
     *
     * @param table with an int4 primary key {@code id}
     * @param predicate behind WHERE, without parameters
     * @param order behind ORDER BY; empty for none
     * @param limit the most rows to take
     */
    Claiming(String variant, String table, String predicate, String order, int limit) {
        this.form = Forms.parse(Form.class, variant);
        this.locks = form.isRowlock() ? Forms.locks(form.name()).build() : RowLocks.create();
        Claim unordered = Claim.from(table).where(predicate).limit(limit);
        this.claim = order.isEmpty() ? unordered : unordered.orderBy(order);
        String tryLock = form == Form.HAND_WRITTEN
                ? " and pg_try_advisory_xact_lock('" + table + "'::regclass::oid::int4, id)"
                : "";
        this.sql = "select id from " + table + " where " + predicate + tryLock
                + (order.isEmpty() ? "" : " order by " + order) + " limit " + limit
                + (form == Form.SKIP_LOCKED ? " for update skip locked" : "");
    }

    Form form() {
        return form;
    }

    /** The ids of the rows taken, held by the connection's transaction. */
    List<Integer> claim(Connection connection) throws SQLException {
        if (form.isRowlock()) {
            return locks.in(connection).claim(claim, row -> row.getInt("id"));
        }
        List<Integer> ids = new ArrayList<>(claim.limit());
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                ids.add(row.getInt(1));
            }
        }
        return ids;
    }

    /** Ids as a parameter. */
    static Array array(Connection connection, List<Integer> ids) throws SQLException {
        return connection.createArrayOf("int4", ids.toArray());
    }
}
