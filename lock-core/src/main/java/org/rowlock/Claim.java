package org.rowlock;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.TableName;

/**
 * A claim of rows of a table: those that match a predicate, in an order, up to a limit. It locks as {@code FOR UPDATE
 * SKIP LOCKED} does; see {@link TransactionLocks#claim}. Immutable and thread-safe.
 *
 * <pre>{@code
 * Claim.from("job").where("state = ?", "ready").orderBy("priority desc, id").limit(10)
 * }</pre>
 *
 * <p>The predicate and the order are SQL: never put a user's text into them, but use binds. A null, a blank text or a
 * malformed name of a table causes an {@link IllegalArgumentException}.
 */
public final class Claim {
    private final String table;
    private final String predicate;
    private final List<@Nullable Object> binds;
    private final String order;
    private final int limit;
    private final RowLockMode mode;

    private Claim(
            String table, String predicate, List<@Nullable Object> binds, String order, int limit, RowLockMode mode) {
        this.table = TableName.normalize(table);
        this.predicate = Given.text(predicate, "The predicate of a claim", "the condition after WHERE");
        // List.copyOf() is not used, because a bind may be null.
        this.binds = Arrays.asList(Given.notNull(binds, Given.NO_BINDS).toArray());
        this.order = Given.notNull(order, "The order of a claim is null");
        this.limit = limit;
        if (limit < 1) {
            throw new IllegalArgumentException(
                    "The limit of a claim on " + this.table + " is " + limit + "; give at least 1");
        }
        this.mode = Given.notNull(mode, "The mode of a claim is null");
    }

    /**
     * {@return a claim of any one row, in mode {@link RowLockMode#FOR_UPDATE}}
     *
     * @param table the table, as in SQL: {@code job}, {@code public.job}, {@code "Job"}
     */
    public static Claim from(String table) {
        return new Claim(table, "true", List.of(), "", 1, RowLockMode.FOR_UPDATE);
    }

    /**
     * {@return the claim with a predicate} Default none: every row.
     *
     * @param predicate the condition after WHERE, with {@code ?} for parameters
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     */
    public Claim where(String predicate, @Nullable Object... binds) {
        return new Claim(table, predicate, Arrays.asList(Given.notNull(binds, Given.NO_BINDS)), order, limit, mode);
    }

    /**
     * {@return the claim with an order} Default none: the server's choice.
     *
     * @param order the list after ORDER BY
     */
    public Claim orderBy(String order) {
        Given.text(order, "The order of a claim", "the list after ORDER BY");
        return new Claim(table, predicate, binds, order, limit, mode);
    }

    /**
     * {@return the claim with a limit} Default 1.
     *
     * @param rows the largest number of rows to claim, at least 1
     */
    public Claim limit(int rows) {
        return new Claim(table, predicate, binds, order, rows, mode);
    }

    /**
     * {@return the claim with a mode} Default {@link RowLockMode#FOR_UPDATE}.
     *
     * @param mode how strongly to lock the rows
     */
    public Claim mode(RowLockMode mode) {
        return new Claim(table, predicate, binds, order, limit, mode);
    }

    /** {@return the normalized name of the table} */
    public String table() {
        return table;
    }

    /** {@return the predicate, as given} */
    public String predicate() {
        return predicate;
    }

    /** {@return the values of the predicate's parameters} */
    public List<@Nullable Object> binds() {
        return binds;
    }

    /** {@return the order, or an empty text} */
    public String order() {
        return order;
    }

    /** {@return the largest number of rows to claim} */
    public int limit() {
        return limit;
    }

    /** {@return how strongly to lock the rows} */
    public RowLockMode mode() {
        return mode;
    }

    @Override
    public String toString() {
        return "claim of " + limit + " from " + table + " where " + predicate
                + (order.isEmpty() ? "" : " order by " + order);
    }
}
