package org.rowlock.internal.value;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.text.TableName;

/** The key of a row. The advisory lock uses the canonical id, and the row lock uses the given id. */
public final class RowKey implements LockKey.Row {
    private final String table;
    private final List<String> id;
    private final List<String> givenId;

    public RowKey(String table, List<String> id) {
        this.table = TableName.normalize(table);
        this.givenId = id;
        this.id = canonical(id);
    }

    /** Returns the canonical parts of an id. If all parts are already canonical, returns the given list. */
    private static List<String> canonical(List<String> id) {
        for (String part : id) {
            if (!part.equals(IdText.canonical(part))) {
                return id.stream().map(IdText::canonical).toList();
            }
        }
        return id;
    }

    /** Returns the id in the given spelling, for row locks. A text column may contain a UUID in upper case. */
    public static List<String> givenId(LockKey.Row row) {
        return ((RowKey) row).givenId;
    }

    /** Returns the parts of an id as one text, from which the key is derived. */
    public static String idText(List<String> id) {
        return id.size() == 1 ? id.get(0) : String.join(String.valueOf(IdText.SEPARATOR), id);
    }

    /** Whether the key of a row is a pair of numbers: rule 3 of key version 1, for a single id that is an int4. */
    public static boolean isPair(LockKey.Row row) {
        return row.id().size() == 1 && IdText.isInt4(row.id().get(0));
    }

    @Override
    public String table() {
        return table;
    }

    @Override
    public List<String> id() {
        return id;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowKey row && table.equals(row.table) && id.equals(row.id);
    }

    @Override
    public int hashCode() {
        return 31 * table.hashCode() + id.hashCode();
    }

    @Override
    public String toString() {
        return table + '[' + String.join(", ", id) + ']';
    }
}
