package org.rowlock;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.ClaimParts;

/**
 * Describes which rows of a table a call claims: the predicate that rows must match, their order, and the largest
 * number of rows. The rows are locked as {@code FOR UPDATE SKIP LOCKED} locks them; see {@link TransactionLocks#claim}.
 * Immutable and thread-safe.
 *
 * <pre>{@code
 * Claim.from("job").where("state = ?", "ready").orderBy("priority desc, id").limit(10)
 * }</pre>
 *
 * <p>The predicate and the order are SQL. Never put a user's text into this SQL; pass the text as a bind. A null
 * (except as a bind), a blank text or a malformed name of a table causes an {@link IllegalArgumentException}.
 */
@CheckReturnValue
public sealed interface Claim permits ClaimParts {
    /**
     * {@return a claim of one unlocked row of the table}
     *
     * @param table the table, as in SQL: {@code job}, {@code public.job}, {@code "Job"}
     */
    static Claim from(String table) {
        return new ClaimParts(table, "true", List.of(), "", 1);
    }

    /**
     * {@return the claim with a predicate} Without a predicate, the claim matches every row.
     *
     * @param predicate the condition after WHERE, with {@code ?} for parameters
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     */
    Claim where(String predicate, @Nullable Object... binds);

    /**
     * {@return the claim with an order} By default, the server chooses the order.
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
}
