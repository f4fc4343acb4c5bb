package org.rowlock.jdbc.internal.row;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.session.IdColumns;
import org.rowlock.internal.text.IdType;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/** The row that a statement locks. */
public record LockedRow(StatementPlan plan, IdColumns.Known primaryKey, List<Value> key, Binds binds) {
    /** Returns a hash of the row. The hash is the same for every name by which a statement may refer to the table. */
    public int hash(int database) {
        return 31 * (31 * database + Long.hashCode(primaryKey.oid()))
                + binds.text(key).hashCode();
    }

    public String text() {
        return plan.shape().table() + '(' + binds.text(key) + ')';
    }

    /**
     * Whether the statement may have a front lock. The key must be the only condition. An UPDATE that also checks a
     * version must fail at once if the version is stale, and must not block other transactions. Each value must be
     * comparable with its column. Otherwise the query that checks whether the row exists would raise an error before
     * the statement runs. On a table with row security, this query would call the functions of the policies again.
     */
    public boolean isFrontable() {
        return plan.shape().hasOnly(key)
                && !primaryKey.isCitus()
                && primaryKey.table().isLookable()
                && IntStream.range(0, key.size())
                        .allMatch(i -> fits(
                                key.get(i), primaryKey.table().columns().get(i).kind()));
    }

    private boolean fits(Value value, IdType type) {
        if (value instanceof Literal literal) {
            return type.refusal(literal.text()) == null;
        }
        @Nullable Object bound = binds.value(value);
        return switch (type) {
            case SMALLINT, INTEGER, BIGINT, NUMERIC -> bound instanceof Number;
            case UUID -> bound instanceof UUID;
            case TEXT, VARCHAR, CHAR -> bound instanceof String;
            default -> false;
        };
    }

    /** Returns the key of the row; null if the key format does not support a value. */
    public LockKey.@Nullable Row lockKey() {
        List<@Nullable Object> parts =
                key.stream().<@Nullable Object>map(binds::value).toList();
        try {
            return LockKey.row(plan.shape().table(), parts);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
