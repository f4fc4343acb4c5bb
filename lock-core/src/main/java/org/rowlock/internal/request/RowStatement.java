package org.rowlock.internal.request;

import java.sql.SQLException;
import java.util.List;
import org.rowlock.LockKey;

/**
 * A statement of another library, such as Hibernate, that locks rows in the same way and in the same order as Rowlock's
 * own statement. The statement has the form {@code select .. from table where column = id for ..}, or {@code .. where
 * column in (ids) order by column for ..}. The statement uses the mode of the request, an unbounded wait, and the
 * connection of the call.
 */
public interface RowStatement {
    /** Returns the column by which the statement finds the rows, in the spelling of the catalog. */
    String idColumn();

    /** Locks the rows, and returns the keys of absent rows. */
    List<LockKey> lock() throws SQLException;
}
