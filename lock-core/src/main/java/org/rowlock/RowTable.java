package org.rowlock;

import java.util.List;

/**
 * A table whose rows are locked, and the columns of its id.
 *
 * @param name the name as the key has it
 * @param columns the columns of the id, in order
 * @param given whether they are given by configuration, and not the primary key
 */
record RowTable(String name, List<Column> columns, boolean given) {

    /** A table that has not been looked up. */
    static RowTable named(String name) {
        return new RowTable(name, List.of(), true);
    }

    /**
     * A column of the id.
     *
     * @param name the column, as in the catalog
     * @param type its type, as SQL writes it, without a length: a cast must not cut the value
     */
    record Column(String name, String type) {}
}
