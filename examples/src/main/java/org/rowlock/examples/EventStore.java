package org.rowlock.examples;

import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;

/**
 * An outbox, or event store. Many transactions append events with numbers from a sequence, and may commit in a
 * different order. A reader that continues after the largest number that it has read would miss an event that is
 * committed later with a smaller number. Writers therefore hold a shared lock on a name. The reader acquires the same
 * lock exclusively for a short time, and thereby waits for all writers.
 */
public final class EventStore {
    private static final LockKey WRITERS = LockKey.name("event writers");

    private final RowLocks locks;

    /** Creates an event store that locks with the given row locks. */
    public EventStore(RowLocks locks) {
        this.locks = locks;
    }

    /** An event of the store. */
    public record Event(long id, String text) {}

    /** Appends an event, in the caller's transaction. */
    public void append(Connection connection, String text) throws SQLException {
        locks.in(connection).lock(forShare(WRITERS)); // before the number is drawn
        Sql.update(connection, "insert into event (text) values (?)", text);
    }

    /**
     * Returns the events after the given number, and ends the transaction. Later, no event can appear before a returned
     * event.
     */
    public List<Event> readAfter(Connection connection, long last) throws SQLException {
        long bound = locks.in(connection)
                .lockAndRead(forUpdate(WRITERS), "select coalesce(max(id), 0) from event", Long.class)
                .get(0);
        connection.commit(); // writers continue; up to the bound no event is added any more
        List<Event> events = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement("select id, text from event where id > ? and id <= ? order by id")) {
            select.setLong(1, last);
            select.setLong(2, bound);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    events.add(new Event(row.getLong(1), row.getString(2)));
                }
            }
        }
        connection.commit();
        return events;
    }
}
