package org.rowlock.jdbc.internal.row;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.session.PrimaryKeys;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.jdbc.internal.statement.Binds;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/**
 * The row that a statement locks.
 *
 * @param primaryKey of its table
 * @param key the values for the primary key
 * @param binds those of the parameters
 */
public record LockedRow(StatementPlan plan, PrimaryKeys.Found primaryKey, List<Value> key, Binds binds) {
    /** The same of the same row of a database, by whatever name its table is called. */
    public int hash(int database) {
        return 31 * (31 * database + Long.hashCode(primaryKey.table())) + binds.hash(key);
    }

    /** Its table, and its key in brackets. */
    public String text() {
        return plan.table() + '(' + binds.text(key) + ')';
    }

    /**
     * Whether a lock may go in front. With more conditions a row that is there may not be found: a stale version is to
     * fail at once, and blocks no other transaction. A value that its column cannot be compared with is the statement's
     * own error, which the look in front must not raise in its place.
     */
    public boolean isFrontable() {
        return plan.shape() instanceof Recognised statement
                && statement.hasOnly(key)
                && !primaryKey.isCitus()
                && fitsColumns();
    }

    private boolean fitsColumns() {
        for (int i = 0; i < key.size(); i++) {
            Value value = key.get(i);
            Object bound = binds.value(value);
            IdType type = primaryKey.types().get(i);
            boolean fits = value instanceof Literal literal
                    ? type.refusal(literal.text()) == null
                    : switch (type) {
                        case SMALLINT, INTEGER, BIGINT, NUMERIC -> bound instanceof Number;
                        case UUID -> bound instanceof UUID;
                        case TEXT, VARCHAR, CHAR -> bound instanceof String;
                        default -> false;
                    };
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /**
     * The key that goes in front.
     *
     * @throws IllegalArgumentException if the key format has no such value
     */
    public long frontKey(@Nullable String searchPath) {
        List<Object> parts = key.stream().map(binds::value).toList();
        return FrontSql.key(
                searchPath, plan.table(), LockKey.row(plan.table(), parts).id());
    }
}
