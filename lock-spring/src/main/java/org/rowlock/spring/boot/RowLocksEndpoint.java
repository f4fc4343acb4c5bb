package org.rowlock.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.rowlock.LockInspector;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.AdmissionQueues;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.spring.boot.RowLocksReport.Locks;
import org.rowlock.spring.internal.pool.Pools;
import org.rowlock.spring.internal.pool.Routes;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.spring.internal.proxy.LockChains.Usage;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;

/**
 * The actuator endpoint {@code rowlocks}, which lists the transactions that hold locks or wait for locks. Like every
 * endpoint except health, this endpoint is exposed over HTTP only if {@code management.endpoints.web.exposure.include}
 * contains its id.
 *
 * <p>{@code GET /actuator/rowlocks} returns a {@link RowLocksReport} as JSON, with the names of its components. {@code
 * GET /actuator/rowlocks/orders/42} returns the {@code dataSources} that have the table, with the lines of that row.
 * The path contains the parts of a composite id in order, as in {@code /actuator/rowlocks/order_lines/42/1}. This
 * request also finds ids that the full list shows only as a number, such as UUIDs that other JVMs lock. For up to 100
 * keys in the admission queues of this JVM, the full list shows the table and the id.
 *
 * <p>PostgreSQL lists advisory locks but not row locks, so the row locks of tables with strategy ROW are missing. The
 * endpoint shows all advisory locks of the database, including the locks of other applications. The endpoint borrows a
 * connection from each pool, and therefore waits if a pool has no free connection. Thread-safe.
 */
@Endpoint(id = "rowlocks")
public final class RowLocksEndpoint {
    /** The SQLSTATEs 42P01 (no such table) and 3F000 (no such schema). */
    private static final List<String> NO_TABLE = List.of("42P01", "3F000");

    /** The largest number of rows to look up. The number is limited because each row takes a separate statement. */
    private static final int OWN_ROWS = 100;

    private final RowLocks locks;
    private final LockChains chains;

    /**
     * The distinct pools by name. Each pool is listed once, because the endpoint may have to wait for a connection of
     * each pool. The routes of a routing DataSource are listed instead of the routing DataSource.
     */
    private final Map<String, DataSource> dataSources = new LinkedHashMap<>();

    RowLocksEndpoint(RowLocks locks, LockChains chains, Map<String, DataSource> dataSources) {
        this.locks = locks;
        this.chains = chains;
        dataSources.forEach((name, each) -> {
            if (Routes.of(each).isEmpty()
                    && this.dataSources.values().stream().noneMatch(known -> Pools.isSame(known, each))) {
                this.dataSources.put(name, each);
            }
        });
    }

    /**
     * Returns all advisory locks, the queues of this JVM, and every {@code @RowLock}.
     *
     * @return the report
     */
    @ReadOperation
    public RowLocksReport all() {
        Map<String, Locks> found = ask(null);
        List<AdmissionQueues.Entrant> entrants =
                LockAccess.of(locks).admission().entrants();
        RowLocksReport.Admission admission = new RowLocksReport.Admission(
                LockAccess.of(locks).admission().keysInUse(),
                (int) entrants.stream().filter(each -> !each.isAdmitted()).count(),
                entrants.stream().map(this::thread).toList());
        return new RowLocksReport(
                found, admission, chains.usages().stream().map(this::usage).toList(), JdbcReports.of(dataSources));
    }

    private Map<String, Object> thread(AdmissionQueues.Entrant entrant) {
        Map<String, Object> shown = new LinkedHashMap<>();
        dataSources.forEach((name, dataSource) -> {
            if (isOf(entrant, dataSource)) {
                shown.put("dataSource", name);
            }
        });
        if (entrant.key() instanceof LockKey.Row row) {
            shown.put("table", row.table());
            shown.put("id", String.join(", ", row.id()));
        } else {
            shown.put("id", entrant.key().toString());
        }
        shown.put("mode", entrant.mode().name());
        shown.put("thread", entrant.thread());
        shown.put("admitted", entrant.isAdmitted());
        shown.put("since", entrant.since().toString());
        return shown;
    }

    private static boolean isOf(AdmissionQueues.Entrant entrant, DataSource dataSource) {
        return entrant.database() instanceof DataSource entered && Pools.isSame(entered, dataSource);
    }

    private Map<String, Object> usage(Usage usage) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("bean", usage.bean());
        shown.put("method", usage.method());
        shown.put("table", usage.table());
        shown.put("id", usage.definition().idText());
        shown.put("mode", usage.definition().mode().name());
        if (usage.lockWait() != null) {
            shown.put("lockWait", usage.lockWait().toString());
        }
        shown.put(
                "strategy",
                LockAccess.of(locks)
                        .config()
                        .strategyOf(LockKey.row(usage.table(), 0))
                        .name());
        return shown;
    }

    /** The row to show for a lock, and whether the lock is the front lock of the row. */
    private record Own(LockKey.Row row, boolean isFront) {}

    private static Map<String, Object> line(LockInspector.Line line, @Nullable Own own) {
        Map<String, Object> shown = new LinkedHashMap<>();
        LockKey key = own == null ? line.key() : own.row();
        if (key instanceof LockKey.Row row) {
            shown.put("table", row.table());
            shown.put("id", String.join(", ", row.id()));
        }
        shown.put("key", line.key().toString());
        shown.put("mode", own != null && own.isFront() ? "front" : line.isShared() ? "shared" : "exclusive");
        shown.put("granted", line.isGranted());
        shown.put("pid", line.pid());
        line.application().ifPresent(application -> shown.put("application", application));
        line.state().ifPresent(state -> shown.put("state", state));
        line.transactionAge().ifPresent(age -> shown.put("transactionAge", age.toString()));
        line.waitingFor().ifPresent(waiting -> shown.put("waitingFor", waiting.toString()));
        shown.put("blockedBy", line.blockedBy());
        return shown;
    }

    /**
     * Returns the holders and waiters of one row.
     *
     * @param table the table, as in SQL
     * @param id the id, or the parts of a composite id in the order of the primary key
     * @return a report with only the DataSources that have the table
     * @throws InvalidEndpointRequestException if no DataSource has the table, or its name is malformed; HTTP status 400
     */
    @ReadOperation
    public RowLocksReport of(@Selector String table, @Selector(match = Selector.Match.ALL_REMAINING) String... id) {
        Map<String, Locks> found = ask(key(table, id));
        if (found.isEmpty()) {
            throw new InvalidEndpointRequestException(
                    "There is no table " + table + " in the database of " + String.join(", ", dataSources.keySet()),
                    "Write the name as in SQL, with its schema if necessary");
        }
        return new RowLocksReport(found, null, null, null);
    }

    /**
     * Reads the locks of all DataSources in parallel. For one row, this method reads only the locks of that row, in the
     * DataSources that have the table.
     */
    private Map<String, Locks> ask(LockKey.@Nullable Row of) {
        Map<String, Locks> found = new ConcurrentSkipListMap<>();
        // Each pool is queried on a new thread, because a shared pool of threads may have fewer threads than there are
        // connection pools.
        TaskExecutor threads = new SimpleAsyncTaskExecutor("rowlock-endpoint-");
        CompletableFuture.allOf(dataSources.entrySet().stream()
                        .map(each -> CompletableFuture.runAsync(
                                () -> ask(of, each.getKey(), each.getValue(), found), threads))
                        .toArray(CompletableFuture[]::new))
                .join();
        return found;
    }

    private void ask(LockKey.@Nullable Row of, String name, DataSource dataSource, Map<String, Locks> found) {
        try (Connection connection = dataSource.getConnection()) {
            found.put(name, read(connection, dataSource, of));
        } catch (SQLException | RuntimeException e) {
            if (of == null || !(e instanceof SQLException refused) || !NO_TABLE.contains(refused.getSQLState())) {
                found.putIfAbsent(name, failed(e));
            }
        }
    }

    private Locks read(Connection connection, DataSource dataSource, LockKey.@Nullable Row of) throws SQLException {
        List<LockInspector.Line> lines =
                of == null ? new LockInspector(connection).all() : new LockInspector(connection).of(of);
        Map<LockKey, Own> own = of == null && lines.stream().anyMatch(line -> !(line.key() instanceof LockKey.Row))
                ? ownRows(connection, dataSource)
                : Map.of();
        return new Locks(
                lines.stream()
                        .map(line -> line(line, of == null ? own.get(line.key()) : new Own(of, false)))
                        .toList(),
                null);
    }

    private static LockKey.Row key(String table, String... id) {
        try {
            return LockKey.row(table, id.length == 1 ? id[0] : Arrays.asList(id));
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(e.getMessage(), "The path is /rowlocks/{table}/{id}");
        }
    }

    /**
     * Returns up to {@link #OWN_ROWS} rows of the admission queues of this JVM. The keys of the map are the advisory
     * keys of the rows and of their front locks. Such a key alone does not always identify the row.
     */
    private Map<LockKey, Own> ownRows(Connection connection, DataSource dataSource) throws SQLException {
        Map<LockKey, Own> rows = new HashMap<>();
        String path = connection.isWrapperFor(PGConnection.class)
                ? connection.unwrap(PGConnection.class).getParameterStatus("search_path")
                : null;
        List<LockKey> keys = LockAccess.of(locks).admission().entrants().stream()
                .filter(entrant -> isOf(entrant, dataSource))
                .map(AdmissionQueues.Entrant::key)
                .distinct()
                .limit(OWN_ROWS)
                .toList();
        for (LockKey key : keys) {
            if (key instanceof LockKey.Row row) {
                new LockInspector(connection).of(row).forEach(line -> rows.put(line.key(), new Own(row, false)));
                rows.put(LockKey.number(FrontSql.key(path, row.table(), row.id())), new Own(row, true));
            }
        }
        return rows;
    }

    private static Locks failed(Exception e) {
        String why = String.valueOf(e.getMessage());
        return new Locks(
                List.of(),
                e instanceof SQLTransientConnectionException
                        ? "No connection of the pool was available within its connection timeout"
                                + " (spring.datasource.hikari.connection-timeout), so the locks of the database"
                                + " cannot be shown; the threads in the queues of this JVM are: " + why
                        : why);
    }
}
