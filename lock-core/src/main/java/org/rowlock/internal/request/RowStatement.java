package org.rowlock.internal.request;

import java.sql.SQLException;

/**
 * A statement of another library that locks one row in the same way as Rowlock's own statement: {@code select .. from
 * table where column = id for ..}, in the mode of the request, with an unbounded wait, on the same connection.
 */
public interface RowStatement {
    /** Returns the column by which the statement finds the row, as in the catalog. */
    String idColumn();

    /**
     * Locks the row.
     *
     * @return whether the row exists
     * @throws SQLException as the driver throws it
     */
    boolean lock() throws SQLException;
}
