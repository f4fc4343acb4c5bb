package org.rowlock.jmh.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.internal.acquire.LockRequests;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.text.IdType;

/**
 * What the library itself does for a lock, from an id to the text of the statement that the driver takes over: without a
 * server, and so no scenario. With {@code -prof gc} it shows the bytes too.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class KeyCost {
    private static final String TABLE = "accounts";
    private static final int BUDGET = 1_000;

    /** A power of two. */
    private static final int IDS = 1_024;

    /** So that ids have as many digits as those of a table in use. */
    private static final int FIRST = 1_000_000;

    @Param({"ROW", "BOTH", "ADVISORY"})
    public LockStrategy strategy = LockStrategy.ROW;

    private final Flushes scripts = new Flushes();
    private final RowTable table = new RowTable(
            TABLE,
            List.of(new RowTable.Column("id", "integer", "integer[]", IdType.INTEGER)),
            RowTable.Identity.ONE_COLUMN);
    private LockRequests requests;
    private String lastSql = "";
    private int next;

    @Setup
    public void open() {
        requests = new LockRequests(new LockConfig(strategy, Map.of(), Map.of(), BUDGET, KeyNames.WITH_IDS));
    }

    @Benchmark
    public ResolvedRequest make() {
        LockKey key = LockKey.row(TABLE, FIRST + (next++ & (IDS - 1)));
        ResolvedRequest request = requests.of(LockRequest.forUpdate(key), LockWait.forever());
        if (!request.rows().isEmpty()) {
            // As once the table has been looked up.
            List<RowGroup> groups = new ArrayList<>(request.rows().size());
            for (RowGroup group : request.rows()) {
                groups.add(new RowGroup(table, group.mode(), group.keys()));
            }
            request = request.withRows(groups);
        }
        lastSql = scripts.flush(request, true, request.anyIsolationAllowed(), null)
                .sql();
        return request;
    }

    /** The last statement must be one of the strategy. */
    @TearDown
    public void check() {
        if (lastSql.contains(" for update") == (strategy == LockStrategy.ADVISORY)
                || lastSql.contains("pg_advisory_xact_lock(") == (strategy == LockStrategy.ROW)) {
            throw new InvariantViolation("the statement is not one of " + strategy + ": " + lastSql);
        }
    }
}
