package org.rowlock.jmh.server;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.TableName;
import org.rowlock.jmh.server.OwnSql.Names;
import org.rowlock.tool.Texts;

/**
 * One of the user's own relations, which the measured statements name.
 *
 * @param kind the relkind in pg_class
 * @param creation the statements that create a copy with sample rows in the benchmark schema
 * @param columns the columns that are not generated, quoted
 * @param uncopied what the copy lacks, such as triggers; empty if the copy is complete
 */
record OwnTable(
        long oid,
        String schema,
        String name,
        String kind,
        List<String> creation,
        String columns,
        List<String> primaryKey,
        String uncopied) {
    private static final String RELATIONS = Texts.resource(OwnTable.class, "relations.sql");

    /** Finds the relations with these names. A name without a schema must be visible in the search_path. */
    static List<OwnTable> named(Connection connection, Names names) throws SQLException {
        return Jdbc.list(
                connection,
                RELATIONS,
                row -> new OwnTable(
                        row.getLong(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        texts(row.getArray(5)),
                        row.getString(6),
                        texts(row.getArray(7)),
                        row.getString(8)),
                names.words().toArray(String[]::new),
                names.qualified().stream().map(each -> String.join(".", each)).toArray(String[]::new));
    }

    private static List<String> texts(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    /** Returns the quoted name without a schema. The copy has the same name. */
    String sql() {
        return TableName.quoteIdentifier(name);
    }

    String original() {
        return TableName.quoteIdentifier(schema) + '.' + sql();
    }

    boolean isTable() {
        return kind.equals("r") || kind.equals("p");
    }

    String insertion(List<Integer> place) {
        String key = primaryKey.stream().map(TableName::quoteIdentifier).collect(Collectors.joining(", "));
        String values = place.stream().map(column -> "k.c" + column).collect(Collectors.joining(", "));
        return "insert into " + sql() + " (" + columns + ") overriding system value select "
                + columns + " from " + original() + " where (" + key + ") in (select " + values + " from "
                + OwnKeys.TABLE + ") and (" + key + ") not in (select " + key + " from "
                + sql() + ")";
    }
}
