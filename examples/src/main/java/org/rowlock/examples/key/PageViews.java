package org.rowlock.examples.key;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.examples.Sql;

/** Adds counts to rows that may not exist yet. A name can be locked whether the row exists or not. */
public final class PageViews {
    private final RowLocks locks;

    /** Creates a program that locks with the given row locks. */
    public PageViews(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: upsert
    /** Adds a count to each page. The locks are always acquired in one order, whatever the order of the map. */
    public void add(Connection connection, Map<String, Long> counts) throws SQLException {
        List<LockKey> pages = counts.keySet().stream()
                .map(page -> LockKey.name("page " + page))
                .toList();
        locks.in(connection).lock(forUpdate(pages));
        Sql.batch(
                connection,
                "insert into page_view as old (page, views) values (?, ?)"
                        + " on conflict (page) do update set views = old.views + excluded.views",
                counts);
    }
    // end
}
