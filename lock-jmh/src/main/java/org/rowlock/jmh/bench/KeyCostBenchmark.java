package org.rowlock.jmh.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rowlock.LockKey;
import org.rowlock.LockStatements;
import org.rowlock.LockStrategy;

/**
 * Make a key of an id, and the statement that locks it: what the library itself costs, without a server. Up to where the
 * driver takes the statement and its parameters over.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KeyCostBenchmark {
    /** A power of two. */
    private static final int IDS = 1_024;

    /** So that ids have as many digits as those of a table in use. */
    private static final int FIRST = 1_000_000;

    @Param({"ROW", "BOTH", "ADVISORY"})
    public String variant = "";

    /** {@code int}, {@code bigint}, {@code uuid}, {@code text} or {@code composite}. */
    @Param("int")
    public String id = "";

    private KeyForm form;
    private String table;
    private LockStatements statements;
    private Object[] ids;
    private int next;

    @Setup
    public void open() {
        form = Forms.parse(KeyForm.class, id);
        table = form.table();
        statements = new LockStatements(Forms.parse(LockStrategy.class, variant), table, form.columns());
        ids = new Object[IDS];
        for (int i = 0; i < IDS; i++) {
            ids[i] = form.id(FIRST + i);
        }
    }

    @Benchmark
    public String make() {
        Object value = ids[next++ & (IDS - 1)];
        return statements.make(
                switch (form) {
                    case INT -> LockKey.row(table, (int) value);
                    case BIGINT -> LockKey.row(table, (long) value);
                    default -> LockKey.row(table, value);
                });
    }

    /** The last statement must be one of the strategy, and lock the last id. */
    @TearDown
    public void close() {
        LockKey expected = form.key(ids[(next - 1) & (IDS - 1)]);
        if (!statements.lastKey().equals(expected)) {
            throw new InvariantViolation("the last key made was " + statements.lastKey() + " and not " + expected);
        }
        LockStrategy strategy = Forms.parse(LockStrategy.class, variant);
        boolean advisory = strategy != LockStrategy.ROW;
        check(" for update", strategy != LockStrategy.ADVISORY);
        check("pg_advisory_xact_lock(", advisory);
        check("md5(", advisory && form != KeyForm.INT);
    }

    private void check(String part, boolean expected) {
        String sql = statements.lastSql();
        if (sql.contains(part) != expected) {
            throw new InvariantViolation("the statement for " + statements.lastKey() + " with " + variant
                    + (expected ? " lacks <" : " has <") + part + ">: " + sql);
        }
    }
}
