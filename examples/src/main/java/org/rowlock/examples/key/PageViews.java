package org.rowlock.examples.key;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;

/** Adds a batch of counts, to rows that may exist or not. Names lock both kinds. */
public final class PageViews {
    private final RowLocks locks;

    /** Counts that are locked by the given row locks. */
    public PageViews(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: upsert
    /** Adds to each page its count, in the order of the map. The order of the locks is always the same. */
    public void add(Connection connection, Map<String, Long> counts) throws SQLException {
        List<LockKey.Name> pages = counts.keySet().stream()
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
