package org.rowlock.internal.request;

import java.sql.SQLException;

/**
 * A statement of another library, such as Hibernate, that locks one row in the same way as Rowlock's own statement. The
 * statement has the form {@code select .. from table where column = id for ..}. The statement uses the mode of the
 * request, an unbounded wait, and the connection of the call.
 */
public interface RowStatement {
    /** Returns the column by which the statement finds the row, in the spelling of the catalog. */
    String idColumn();

    /**
     * Locks the row.
     *
     * @return whether the row exists
     */
    boolean lock() throws SQLException;
}
