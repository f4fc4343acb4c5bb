package org.rowlock;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A table whose rows are locked, and the columns of its id.
 *
 * @param name the name as the key has it
 * @param columns the columns of the id, in order
 * @param given whether they are given by configuration, and not the primary key
 */
record RowTable(String name, List<Column> columns, boolean given) {

    /** The parameters that take the ids of several rows: an array per column. */
    String idArrays() {
        return columns.stream()
                .map(column -> "cast(? as " + column.type() + "[])")
                .collect(Collectors.joining(", "));
    }

    /** Sets the parameters of {@link #idArrays}. */
    int bindIds(PreparedStatement statement, int at, List<LockKey.Row> rows) throws SQLException {
        for (int column = 0; column < columns.size(); column++) {
            int part = column;
            Object[] texts = rows.stream().map(row -> row.id().get(part)).toArray();
            statement.setArray(at + column, statement.getConnection().createArrayOf("text", texts));
        }
        return at + columns.size();
    }

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
