package org.rowlock.examples;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import org.rowlock.RowLocks;

/** Reserves a seat. Its row does not exist yet, so FOR UPDATE could not lock the row. */
public final class SeatReservation {
    private final RowLocks locks;

    /** Creates reservations that lock with the given row locks. The strategy for the table must not be ROW. */
    public SeatReservation(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: absent
    /** Reserves a seat, or returns false if it is taken. */
    public boolean reserve(int flight, String seat, String guest) throws SQLException {
        // the row does not exist yet, but its key can be locked
        return locks.lock(forUpdate(row("reservation", flight, seat)).allowAbsent())
                .read("select guest from reservation where flight = ? and seat = ?", String.class, flight, seat)
                .inTransaction(tx -> {
                    if (!tx.rows().isEmpty()) {
                        return false;
                    }
                    tx.atCommit("insert into reservation (flight, seat, guest) values (?, ?, ?)", flight, seat, guest);
                    return true;
                });
    }
    // end
}
