package org.rowlock.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.spring.internal.proxy.LockChains.Usage;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * The actuator endpoint {@code rowlocks}, which lists every {@code @RowLock} with its strategy, and the threads in the
 * admission queues of this JVM. Like every endpoint except health, this endpoint is exposed over HTTP only if {@code
 * management.endpoints.web.exposure.include} contains its id.
 *
 * <p>The endpoint uses no connection, so it answers even if a pool has no free connection. Views of the server show the
 * sessions that hold locks or wait for locks; see {@link org.rowlock.LockInspector}. Thread-safe.
 */
@Endpoint(id = "rowlocks")
public final class RowLocksEndpoint {
    private final LockAccess locks;
    private final LockChains chains;
    private final Map<String, DataSource> dataSources;

    RowLocksEndpoint(RowLocks locks, LockChains chains, Map<String, DataSource> dataSources) {
        this.locks = LockAccess.of(locks);
        this.chains = chains;
        this.dataSources = dataSources;
    }

    /**
     * The content of the endpoint.
     *
     * @param threads the threads that wait in a queue of this JVM or have been admitted, the oldest first. {@code
     *     dataSource} is the name of a bean. A key that is not a row has only an {@code id}, and no {@code table}.
     *     {@code since} is the time in the queue or, once {@code admitted}, the time since admission, as an ISO-8601
     *     duration
     * @param usages every {@link org.rowlock.spring.RowLock} in beans that exist. {@code method} includes the class and
     *     the parameter types, {@code id} is a parameter or an expression, and a default {@code lockWait} is left out
     */
    public record Report(List<Map<String, Object>> threads, List<Map<String, Object>> usages)
            implements OperationResponseBody {}

    /**
     * Returns the threads in the queues of this JVM, and every {@code @RowLock}.
     *
     * @return the report
     */
    @ReadOperation
    public Report all() {
        return new Report(
                locks.calls().queues().entrants().stream().map(this::thread).toList(),
                chains.usages().stream().map(this::usage).toList());
    }

    private Map<String, Object> thread(KeyEntries.Entrant entrant) {
        Map<String, Object> shown = new LinkedHashMap<>();
        dataSources.forEach((name, dataSource) -> {
            if (dataSource.equals(entrant.database())) {
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
                locks.tables().strategyOf(LockKey.row(usage.table(), 0)).name());
        return shown;
    }
}
