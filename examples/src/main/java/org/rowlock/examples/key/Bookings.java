package org.rowlock.examples.key;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import org.rowlock.RowLocks;
import org.rowlock.examples.Sql;

/** Books a room unless another booking overlaps. All bookings of a room lock the row of the room. */
public final class Bookings {
    private final RowLocks locks;

    /** Creates bookings that lock with the given row locks. */
    public Bookings(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: book
    /** Books the nights from the first day until the last, or returns false if one of these nights is taken. */
    public boolean book(Connection connection, long room, LocalDate first, LocalDate last) throws SQLException {
        boolean free = locks.in(connection)
                .lockAndRead(
                        forNoKeyUpdate(row("room", room)),
                        "select id from booking where room = ? and first < ? and last > ?",
                        Long.class,
                        room,
                        last,
                        first)
                .isEmpty();
        if (free) {
            Sql.update(connection, "insert into booking (room, first, last) values (?, ?, ?)", room, first, last);
        }
        return free;
    }
    // end
}
