package org.rowlock.internal.request;

import java.sql.SQLException;

/**
 * A statement of another library that locks one row as Rowlock's own does: {@code select .. from table where column =
 * id for ..}, in the mode of the request, waiting as long as it takes, on the same connection.
 */
public interface RowStatement {
    /** The column by which it finds the row, as in the catalog. */
    String idColumn();

    /**
     * Locks the row.
     *
     * @return whether there is a row
     * @throws SQLException what the driver threw
     */
    boolean lock() throws SQLException;
}
