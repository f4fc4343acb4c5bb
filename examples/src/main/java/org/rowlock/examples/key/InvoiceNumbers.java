package org.rowlock.examples.key;

import static org.rowlock.LockKey.name;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.RowLocks;
import org.rowlock.examples.Sql;

/** Gives invoices numbers without gaps. There is no row for a year, so the program locks a name. */
public final class InvoiceNumbers {
    private final RowLocks locks;

    /** Creates a program that locks with the given row locks. */
    public InvoiceNumbers(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: next
    /** Stores an invoice and returns its number. If the transaction rolls back, the next invoice gets the number. */
    public int add(Connection connection, int year, long amount) throws SQLException {
        int number = locks.in(connection)
                .lockAndRead(
                        forUpdate(name("invoices of " + year)),
                        "select coalesce(max(number), 0) + 1 from invoice where year = ?",
                        Integer.class,
                        year)
                .get(0);
        Sql.update(connection, "insert into invoice values (?, ?, ?)", year, number, amount);
        return number;
    }
    // end
}
