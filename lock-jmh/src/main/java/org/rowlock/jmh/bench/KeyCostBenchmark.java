package org.rowlock.jmh.bench;

import java.util.List;
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
        String sql = statements.lastSql();
        for (Part part : Part.values()) {
            if (part.isIn(sql) != part.isExpected(Forms.parse(LockStrategy.class, variant), form)) {
                throw new InvariantViolation("the statement for " + expected + " with " + variant + " "
                        + (part.isIn(sql) ? "has" : "lacks") + " <" + part.text + ">: " + sql);
            }
        }
    }

    /** What a statement has or has not. */
    private enum Part {
        ROW_LOCK(" for update", List.of(LockStrategy.ROW, LockStrategy.BOTH)),
        ADVISORY_LOCK("pg_advisory_xact_lock(", List.of(LockStrategy.BOTH, LockStrategy.ADVISORY)),
        MD5("md5(", List.of(LockStrategy.BOTH, LockStrategy.ADVISORY));

        private final String text;
        private final List<LockStrategy> strategies;

        Part(String text, List<LockStrategy> strategies) {
            this.text = text;
            this.strategies = strategies;
        }

        boolean isIn(String sql) {
            return sql.contains(text);
        }

        boolean isExpected(LockStrategy strategy, KeyForm form) {
            return strategies.contains(strategy) && (this != MD5 || form != KeyForm.INT);
        }
    }
}
