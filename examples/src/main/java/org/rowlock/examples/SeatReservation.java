package org.rowlock.examples;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;

/** Reserves a seat whose row does not exist yet, which FOR UPDATE could not lock. */
public final class SeatReservation {
    private final RowLocks locks;

    /** Reservations that are locked by the given row locks; their strategy for the table must not be ROW. */
    public SeatReservation(RowLocks locks) {
        this.locks = locks;
    }

    /** Reserves a seat, or returns false where it is taken. */
    public boolean reserve(Connection connection, int flight, String seat, String guest) throws SQLException {
        // snippet: absent
        // no such row yet, and locked all the same
        locks.in(connection).lock(forUpdate(LockKey.row("reservation", flight, seat)));
        boolean free = !exists(connection, flight, seat);
        if (free) {
            insert(connection, flight, seat, guest);
        }
        // end
        return free;
    }

    private static boolean exists(Connection connection, int flight, String seat) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select 1 from reservation where flight = ? and seat = ?")) {
            statement.setInt(1, flight);
            statement.setString(2, seat);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void insert(Connection connection, int flight, String seat, String guest) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("insert into reservation (flight, seat, guest) values (?, ?, ?)")) {
            statement.setInt(1, flight);
            statement.setString(2, seat);
            statement.setString(3, guest);
            statement.executeUpdate();
        }
    }
}
