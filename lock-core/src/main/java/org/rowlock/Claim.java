package org.rowlock;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.TableName;

/**
 * What a claim looks for: the rows of a table that meet a predicate, in an order, up to a limit. The SKIP LOCKED use of
 * {@code FOR UPDATE}; see {@link TransactionLocks#claim}. A value; immutable and thread-safe.
 *
 * <pre>{@code
 * Claim.from("job").where("state = ?", "ready").orderBy("priority desc, id").limit(10)
 * }</pre>
 *
 * <p>The predicate and the order are SQL, written by a programmer: never put a user's text into them, use binds.
 */
public final class Claim {
    private final String table;
    private final List<String> idColumns;
    private final String predicate;
    private final List<@Nullable Object> binds;
    private final String order;
    private final int limit;
    private final RowLockMode mode;

    private Claim(
            String table,
            List<String> idColumns,
            String predicate,
            List<@Nullable Object> binds,
            String order,
            int limit,
            RowLockMode mode) {
        this.table = table;
        this.idColumns = idColumns;
        this.predicate = predicate;
        this.binds = binds;
        this.order = order;
        this.limit = limit;
        this.mode = mode;
    }

    /**
     * A claim of one row, any row, {@link RowLockMode#FOR_UPDATE}.
     *
     * @param table the table, as in SQL: {@code job}, {@code public.job}, {@code "Job"}
     * @return the claim
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public static Claim from(String table) {
        return new Claim(TableName.normalize(table), List.of(), "true", List.of(), "", 1, RowLockMode.FOR_UPDATE);
    }

    /**
     * With id columns. Default those given in {@link RowLocksBuilder#idColumns}, or else the primary key.
     *
     * @param columns the columns as the catalog has them (no quotes), in the order of the id's parts
     * @return the claim with them
     * @throws IllegalArgumentException if one is null or blank
     */
    public Claim idColumns(String... columns) {
        if (columns == null) {
            throw new IllegalArgumentException("The id columns of a claim on " + table + " are null");
        }
        for (String column : columns) {
            requireText(column, "id column");
        }
        return new Claim(table, List.of(columns), predicate, binds, order, limit, mode);
    }

    /**
     * With a predicate. Default none: every row.
     *
     * @param predicate what stands behind WHERE, with {@code ?} for parameters; only of this table's columns
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return the claim with it
     * @throws IllegalArgumentException if the predicate is null or blank, or the binds are null
     */
    public Claim where(String predicate, @Nullable Object... binds) {
        requireText(predicate, "predicate");
        if (binds == null) {
            throw new IllegalArgumentException("The binds are null; give a value per parameter, or none");
        }
        List<@Nullable Object> copy = Arrays.asList(binds.clone());
        return new Claim(table, idColumns, predicate, copy, order, limit, mode);
    }

    /**
     * With an order. Default none: the server's choice.
     *
     * @param order what stands behind ORDER BY
     * @return the claim with it
     * @throws IllegalArgumentException if the order is null or blank
     */
    public Claim orderBy(String order) {
        requireText(order, "order");
        return new Claim(table, idColumns, predicate, binds, order, limit, mode);
    }

    /**
     * With a limit. Default 1.
     *
     * @param rows the most rows to take, at least 1
     * @return the claim with it
     * @throws IllegalArgumentException if the number is less than 1
     */
    public Claim limit(int rows) {
        if (rows < 1) {
            throw new IllegalArgumentException(
                    "The limit of a claim on " + table + " is " + rows + "; give at least 1");
        }
        return new Claim(table, idColumns, predicate, binds, order, rows, mode);
    }

    /**
     * With a mode. Default {@link RowLockMode#FOR_UPDATE}.
     *
     * @param mode how strongly to lock the rows
     * @return the claim with it
     * @throws IllegalArgumentException if the mode is null
     */
    public Claim mode(RowLockMode mode) {
        if (mode == null) {
            throw new IllegalArgumentException("The mode of a claim on " + table + " is null");
        }
        return new Claim(table, idColumns, predicate, binds, order, limit, mode);
    }

    /** {@return the table in its one spelling} */
    public String table() {
        return table;
    }

    /** {@return the most rows to take} */
    public int limit() {
        return limit;
    }

    /** {@return how strongly to lock the rows} */
    public RowLockMode mode() {
        return mode;
    }

    /** {@return the columns of the id, or none if the primary key has them} */
    public List<String> idColumns() {
        return idColumns;
    }

    /** {@return the condition, as given} */
    public String predicate() {
        return predicate;
    }

    /** {@return the values of the predicate's parameters} */
    public List<@Nullable Object> binds() {
        return binds;
    }

    /** {@return what stands behind ORDER BY, or nothing} */
    public String order() {
        return order;
    }

    @Override
    public String toString() {
        return "claim of " + limit + " from " + table + " where " + predicate
                + (order.isEmpty() ? "" : " order by " + order);
    }

    private void requireText(String text, String name) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException(
                    "The " + name + " of a claim on " + table + " is " + (text == null ? "null" : "blank"));
        }
    }
}
