package org.rowlock.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.AdmissionQueues;
import org.rowlock.LockInspector;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.spring.internal.proxy.RowLockUsage;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What {@link RowLocksEndpoint} reports; of one row the {@code dataSources} alone. What is null is left out of the JSON.
 *
 * @param dataSources by the name of their beans
 * @param admission the queues of this JVM
 * @param usages every {@link org.rowlock.spring.RowLock} of the beans that exist
 * @param audits by the name of the DataSources whose database has the schema of {@link RowLockGuard}
 * @param strategyConflicts the instances that run beside this one and must not, a sentence each
 * @param jdbc by the name of the DataSources that lock-jdbc wraps
 */
public record RowLocksReport(
        Map<String, Locks> dataSources,
        @Nullable Admission admission,
        @Nullable List<Usage> usages,
        @Nullable Map<String, Audit> audits,
        @Nullable List<String> strategyConflicts,
        @Nullable Map<String, Jdbc> jdbc)
        implements OperationResponseBody {

    /**
     * What lock-jdbc does with the statements of a DataSource.
     *
     * @param mode off, observe or queue
     * @param figures by table, then by name; see {@code RowlockJdbcMXBean}
     * @param hotRows for which most statements queued, or would have
     */
    public record Jdbc(String mode, Map<String, Map<String, Long>> figures, Map<String, Long> hotRows) {}

    /**
     * The advisory locks of one DataSource's database.
     *
     * @param locks a line per lock and session: those of one key together, holders first, waiters in their order
     * @param error why there are none, if the database could not be asked
     */
    public record Locks(List<Line> locks, @Nullable String error) {}

    /**
     * What the audit of one database has found, as its views have it.
     *
     * @param tables the tables that are audited, of {@code rowlock.audits}
     * @param strayWriters the writers that have written to them without the lock, the latest first, of
     *     {@code rowlock.stray_writers}
     * @param error why there are none, if they may not be read
     */
    public record Audit(
            List<Map<String, Object>> tables,
            List<Map<String, Object>> strayWriters,
            @Nullable String error) {}

    /**
     * A session that holds a lock or waits for it.
     *
     * @param table the table; null where the lock does not show it, an id that is no int4, a name or a raw
     *     number, and none of this JVM's own either
     * @param id the id; null where the table is
     * @param key the advisory lock as its functions take it: two numbers, or one
     * @param mode {@code exclusive} or {@code shared}
     * @param granted whether it is held, and not waited for
     * @param pid the server process of the session
     * @param application its application_name
     * @param state what pg_stat_activity says it does, such as {@code idle in transaction}
     * @param transactionAge since its transaction began, in ISO-8601 (PT1.5S): the most that the lock can be held for
     * @param waitingFor since it began to wait, in ISO-8601
     * @param blockedBy the server processes it waits for
     */
    public record Line(
            @Nullable String table,
            @Nullable String id,
            String key,
            String mode,
            boolean granted,
            int pid,
            @Nullable String application,
            @Nullable String state,
            @Nullable String transactionAge,
            @Nullable String waitingFor,
            List<Integer> blockedBy) {

        /** @param own the row that this JVM locks by this very key; null for none */
        static Line of(LockInspector.Line line, LockKey.@Nullable Row own) {
            return new Line(
                    own == null ? line.table().orElse(null) : own.table(),
                    own == null ? line.id().orElse(null) : String.join(", ", own.id()),
                    // Unsigned halves of a bigint, or two int4 that pg_locks shows unsigned.
                    line.isPair()
                            ? (int) line.first() + ", " + (int) line.second()
                            : Long.toString(line.first() << 32 | line.second()),
                    line.isShared() ? "shared" : "exclusive",
                    line.isGranted(),
                    line.pid(),
                    line.application().orElse(null),
                    line.state().orElse(null),
                    line.transactionAge().map(Duration::toString).orElse(null),
                    line.waitingFor().map(Duration::toString).orElse(null),
                    line.blockedBy());
        }
    }

    /**
     * The queues that calls enter before they borrow a connection.
     *
     * @param keysInUse how many keys have somebody in or past their queue
     * @param waiting how many threads stand in a queue
     * @param threads a line for each thread in or past a queue, those that have been there for the longest first
     */
    public record Admission(int keysInUse, int waiting, List<Entrant> threads) {
        static Admission of(AdmissionQueues queues, Map<String, DataSource> dataSources) {
            List<AdmissionQueues.Entrant> entrants = queues.entrants();
            return new Admission(
                    queues.keysInUse(),
                    (int) entrants.stream().filter(each -> !each.isAdmitted()).count(),
                    entrants.stream().map(each -> Entrant.of(each, dataSources)).toList());
        }
    }

    /**
     * A thread of this JVM in the queue of a key, or past it and in the database.
     *
     * @param dataSource the name of its bean; null for another object
     * @param table the table; null for a key that is no row
     * @param id the id, or the parts of a composite one; of a key that is no row, the key
     * @param mode how strongly it is to be locked
     * @param thread the name of the thread
     * @param admitted whether it is past the queue, and not waiting in it
     * @param since for how long, in ISO-8601
     */
    public record Entrant(
            @Nullable String dataSource,
            @Nullable String table,
            String id,
            String mode,
            String thread,
            boolean admitted,
            String since) {

        static Entrant of(AdmissionQueues.Entrant entrant, Map<String, DataSource> dataSources) {
            LockKey.Row row = entrant.key() instanceof LockKey.Row one ? one : null;
            return new Entrant(
                    dataSources.entrySet().stream()
                            .filter(each -> each.getValue().equals(entrant.database()))
                            .map(Map.Entry::getKey)
                            .findFirst()
                            .orElse(null),
                    row == null ? null : row.table(),
                    row == null ? entrant.key().toString() : String.join(", ", row.id()),
                    entrant.mode().name(),
                    entrant.thread(),
                    entrant.isAdmitted(),
                    entrant.since().toString());
        }
    }

    /**
     * A {@link org.rowlock.spring.RowLock}.
     *
     * @param bean the name of the bean
     * @param method class, name and parameter types
     * @param table the table
     * @param id where the id comes from: a parameter or an expression
     * @param mode how strongly it locks
     * @param lockWait how long it waits; null for the configured default
     * @param strategy that of the table
     */
    public record Usage(
            String bean,
            String method,
            String table,
            String id,
            String mode,
            @Nullable String lockWait,
            String strategy) {

        static Usage of(RowLockUsage usage, LockStrategy strategy) {
            LockWait wait = usage.lockWait();
            return new Usage(
                    usage.bean(),
                    usage.method(),
                    usage.table(),
                    usage.definition().idText(),
                    usage.definition().mode().name(),
                    wait == null ? null : wait.toString(),
                    strategy.name());
        }
    }
}
