package org.rowlock;

import java.util.List;

/**
 * A table whose rows are locked, and the columns of its id.
 *
 * @param name the name as the key has it
 * @param columns the columns of the id, in order
 */
record RowTable(String name, List<Column> columns) {

    /**
     * A column of the id.
     *
     * @param name the column, as in the catalog
     * @param type its type, as SQL writes it, without a length: a cast must not cut the value
     */
    record Column(String name, String type) {}
}
