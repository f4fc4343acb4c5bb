package org.rowlock;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.ClaimParts;

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
@CheckReturnValue
public sealed interface Claim permits ClaimParts {
    /**
     * {@return a claim of one row of the table, whichever is free, in mode {@link RowLockMode#FOR_UPDATE}}
     *
     * @param table the table, as in SQL: {@code job}, {@code public.job}, {@code "Job"}
     */
    static Claim from(String table) {
        return new ClaimParts(table, "true", List.of(), "", 1, RowLockMode.FOR_UPDATE);
    }

    /**
     * {@return the claim with a predicate} Without one, the claim matches every row.
     *
     * @param predicate the condition after WHERE, with {@code ?} for parameters
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     */
    Claim where(String predicate, @Nullable Object... binds);

    /**
     * {@return the claim with an order} Without one, the server chooses the order.
     *
     * @param order the list after ORDER BY
     */
    Claim orderBy(String order);

    /**
     * {@return the claim with a limit} The default is 1.
     *
     * @param rows the largest number of rows to claim, at least 1
     */
    Claim limit(int rows);

    /**
     * {@return the claim with a mode} The default is {@link RowLockMode#FOR_UPDATE}.
     *
     * @param mode how strongly to lock the rows
     */
    Claim mode(RowLockMode mode);
}
