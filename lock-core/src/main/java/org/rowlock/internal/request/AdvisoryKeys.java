package org.rowlock.internal.request;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.rowlock.LockKey;
import org.rowlock.internal.text.IdText;
import org.rowlock.internal.value.RequestParts;

/**
 * The keys of a request that need an advisory lock, and the shape in which they are sent to the server.
 *
 * @param keys the keys; none, one, or many
 * @param shape the form of the statement; in all forms except MANY, all keys have the mode of the request
 */
public record AdvisoryKeys(List<LockKey> keys, Shape shape) {
    public static final AdvisoryKeys NONE = new AdvisoryKeys(List.of(), Shape.NONE);

    /** The forms of key version 1, and the form for several keys at a time. */
    public enum Shape {
        NONE,
        /** A row whose id is an int4: the pair of table and id. */
        ROW_INT,
        /** A row with any other id: a bigint from md5. */
        ROW_TEXT,
        /** A name: a bigint from md5. */
        NAME,
        NUMBER,
        PAIR,
        /** Several rows of one table, each with an int4. This is the common case for several keys. */
        ROWS_INT,
        /** Several keys of any form, each exclusive or shared. */
        MANY;

        public boolean isSeveral() {
            return this == ROWS_INT || this == MANY;
        }
    }

    public static AdvisoryKeys of(List<LockKey> keys) {
        return switch (keys.size()) {
            case 0 -> NONE;
            case 1 -> new AdvisoryKeys(keys, shapeOf(keys.get(0)));
            default -> new AdvisoryKeys(keys, areIntRowsOfOneTable(keys) ? Shape.ROWS_INT : Shape.MANY);
        };
    }

    /**
     * Returns the keys that need an advisory lock, and their shape. The keys of the request may have different modes.
     */
    public static AdvisoryKeys of(List<LockKey> keys, RequestParts request) {
        for (LockKey key : keys) {
            if (request.modeOf(key) != request.mode()) {
                return new AdvisoryKeys(keys, Shape.MANY);
            }
        }
        return of(keys);
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }

    public List<String> tables() {
        Set<String> tables = new TreeSet<>();
        for (LockKey key : keys) {
            if (key instanceof LockKey.Row row) {
                tables.add(row.table());
            }
        }
        return List.copyOf(tables);
    }

    private static Shape shapeOf(LockKey key) {
        if (key instanceof LockKey.Row row) {
            return isPair(row) ? Shape.ROW_INT : Shape.ROW_TEXT;
        }
        if (key instanceof LockKey.Name) {
            return Shape.NAME;
        }
        return key instanceof LockKey.RawNumber ? Shape.NUMBER : Shape.PAIR;
    }

    private static boolean areIntRowsOfOneTable(List<LockKey> keys) {
        String table = keys.get(0) instanceof LockKey.Row first ? first.table() : "";
        return keys.stream()
                .allMatch(key -> key instanceof LockKey.Row row && row.table().equals(table) && isPair(row));
    }

    /** Returns the parts of an id as one text, from which the key is derived. */
    public static String idText(List<String> id) {
        return id.size() == 1 ? id.get(0) : String.join(String.valueOf(IdText.SEPARATOR), id);
    }

    /** Whether rule 3 of key version 1 applies to a row. */
    public static boolean isPair(LockKey.Row row) {
        return row.id().size() == 1 && IdText.isInt4(row.id().get(0));
    }
}
