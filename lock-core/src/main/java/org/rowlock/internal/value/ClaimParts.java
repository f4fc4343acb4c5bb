package org.rowlock.internal.value;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.TableName;

/** The internal form of a {@link Claim}. */
public record ClaimParts(String table, String predicate, List<@Nullable Object> binds, String order, int limit)
        implements Claim {
    public ClaimParts {
        table = TableName.normalize(table);
        Arguments.text(predicate, "The predicate of a claim", "the condition after WHERE");
        Arguments.positive(limit, "The limit of a claim on " + table);
    }

    public static ClaimParts of(@Nullable Claim claim) {
        return (ClaimParts) Arguments.notNull(claim, "The claim is null");
    }

    @Override
    public Claim where(String condition, @Nullable Object... values) {
        return new ClaimParts(table, condition, Arguments.binds(values), order, limit);
    }

    @Override
    public Claim orderBy(String list) {
        Arguments.text(list, "The order of a claim", "the list after ORDER BY");
        return new ClaimParts(table, predicate, binds, list, limit);
    }

    @Override
    public Claim limit(int rows) {
        return new ClaimParts(table, predicate, binds, order, rows);
    }

    @Override
    public String toString() {
        return "claim of " + limit + " from " + table + " where " + predicate
                + (order.isEmpty() ? "" : " order by " + order);
    }
}
