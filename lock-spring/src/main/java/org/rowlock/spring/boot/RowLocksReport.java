package org.rowlock.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInspector;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.guard.AuditedTable;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.guard.StrayWriter;
import org.rowlock.spring.RowLockUsages;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What {@link RowLocksEndpoint} tells. What is null is left out of the JSON.
 *
 * @param dataSources by the name of their beans
 * @param admission the queues of this JVM
 * @param usages every {@link org.rowlock.spring.RowLock} of the beans that exist
 * @param audits by the name of the DataSources whose database has the schema of {@link RowLockGuard}
 */
public record RowLocksReport(
        Map<String, Locks> dataSources, Admission admission, List<Usage> usages, Map<String, Audit> audits)
        implements OperationResponseBody {

    /**
     * The advisory locks of one DataSource's database.
     *
     * @param locks a line per lock and session: those of one key together, holders first, waiters in their order
     * @param error why there are none, if the database could not be asked
     */
    public record Locks(List<Line> locks, @Nullable String error) {}

    /**
     * What the audit of one database has found.
     *
     * @param tables the tables that are audited
     * @param strayWriters who has written to them without the lock, the latest first
     * @param error why there are none, if they may not be read
     */
    public record Audit(
            List<AuditedTable> tables,
            List<StrayWriter> strayWriters,
            @Nullable String error) {}

    /**
     * A session that holds a lock or waits for it.
     *
     * @param table the table; null where it cannot be told from the lock: an id that is no int4, a name, a raw number
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

        static Line of(LockInspector.Line line) {
            return new Line(
                    line.table().orElse(null),
                    line.id().orElse(null),
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
     */
    public record Admission(int keysInUse) {}

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

        static Usage of(RowLockUsages.Usage usage, LockStrategy strategy) {
            LockWait wait = usage.lockWait();
            return new Usage(
                    usage.bean(),
                    usage.method(),
                    usage.table(),
                    usage.id(),
                    usage.mode().name(),
                    wait == null ? null : wait.toString(),
                    strategy.name());
        }
    }
}
