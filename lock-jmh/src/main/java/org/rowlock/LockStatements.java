package org.rowlock;

import org.rowlock.internal.sql.LockScripts;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.LockRequest;
import org.rowlock.internal.acquire.LockRequests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.rowlock.internal.request.LockRequest.RowGroup;

/**
 * What lock-core does for a lock between the caller's id and the driver, without a server: from the key to the request
 * and to the text of its statement. Here for lock-jmh alone, in this package because none of it is public. Not
 * thread-safe; a thread has its own.
 */
@NullMarked
public final class LockStatements {
    private static final int BUDGET = 1_000;

    private final LockRequests requests;
    private final LockScripts scripts = new LockScripts();
    private final RowTable table;

    /** Kept, as the driver would keep them, so that the JVM cannot leave out making them. */
    private LockRequest lastRequest;

    private String lastSql = "";

    /**
     * For keys of one table.
     *
     * @param strategy of the table
     * @param table its name
     * @param idColumns the columns of its id, each with its type, such as {@code id int}
     */
    public LockStatements(LockStrategy strategy, String table, List<String> idColumns) {
        this.requests = new LockRequests(new LockConfig(strategy, Map.of(), Map.of(), BUDGET, false));
        this.table = new RowTable(
                table,
                idColumns.stream()
                        .map(column -> column.split(" ", 2))
                        .map(parts -> new RowTable.Column(parts[0], parts[1], parts[1] + "[]"))
                        .toList(),
                RowTable.Identity.ONE_COLUMN);
        this.lastRequest = requests.of(LockKey.name("none has been made"), RowLockMode.FOR_UPDATE, LockWait.forever());
    }

    /** Makes the request and the statement that lock a key; what is left is to hand them to the driver. */
    public String make(LockKey key) {
        LockRequest request = requests.of(key, RowLockMode.FOR_UPDATE, LockWait.forever());
        if (!request.rows().isEmpty()) {
            request = withIdColumns(request);
        }
        lastSql = scripts.script(request, true, request.anyIsolationAllowed(), null)
                .sql();
        lastRequest = request;
        return lastSql;
    }

    /** As {@link LockRequests#withIdColumns} once the table has been looked up. */
    private LockRequest withIdColumns(LockRequest request) {
        List<RowGroup> groups = new ArrayList<>(request.rows().size());
        for (RowGroup group : request.rows()) {
            groups.add(new RowGroup(table, group.mode(), group.keys()));
        }
        return request.withRows(groups);
    }

    /** The statement that was made last. */
    public String lastSql() {
        return lastSql;
    }

    /** The key that it locks. */
    public LockKey lastKey() {
        return lastRequest.first();
    }
}
