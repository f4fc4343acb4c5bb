package org.rowlock.jdbc.internal.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.statement.StatementShape.Equality;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/**
 * The one row that a statement names by its primary key.
 *
 * @param values one for each column, in the order of the key
 */
public record RowKey(List<Value> values) {
    public RowKey {
        values = List.copyOf(values);
    }

    /**
     * The key among the equalities of a statement.
     *
     * @param primaryKey the columns as in the catalog
     * @return null where the statement does not name all of them
     */
    public static @Nullable RowKey of(Recognised statement, List<String> primaryKey) {
        List<Value> values = new ArrayList<>(primaryKey.size());
        for (String column : primaryKey) {
            for (Equality equality : statement.equalities()) {
                if (equality.column().equals(column)) {
                    values.add(equality.value());
                    break;
                }
            }
        }
        return primaryKey.isEmpty() || values.size() < primaryKey.size() ? null : new RowKey(values);
    }
}
