package org.rowlock.internal.session;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.session.IdColumns.Known;
import org.rowlock.internal.session.IdColumns.Place;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.IdType;

/** The query of the catalog for the id columns of a table. */
final class TableLookUp {
    private TableLookUp() {}

    /** Looks up a table. Throws the server's error if the table does not exist. */
    static Known existing(PgSession session, Place place) throws SQLException {
        Known found = of(session, place, 0);
        if (found.kind().isEmpty()) {
            String unused = session.ask(CatalogSql.NO_TABLE, place.table());
        }
        return found;
    }

    /**
     * Looks up a table. The result has an empty kind if the table does not exist.
     *
     * @param seconds the timeout of the query; 0 for none
     */
    static Known of(PgSession session, Place place, int seconds) throws SQLException {
        String table = place.table();
        List<String> given = place.given();
        List<Column> columns = new ArrayList<>();
        List<String> missing = new ArrayList<>(given);
        try (PreparedStatement statement =
                session.prepare(given.isEmpty() ? CatalogSql.KEY_OF_TABLE : CatalogSql.NAMED_COLUMNS)) {
            if (seconds > 0) {
                statement.setQueryTimeout(seconds);
            }
            int at = 1;
            if (!given.isEmpty()) {
                statement.setArray(at++, session.connection().createArrayOf("text", given.toArray()));
            }
            statement.setString(at, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getString(2) != null) {
                        IdType idType = IdType.of(row.getString(3), row.getBoolean(8), row.getBoolean(7));
                        missing.remove(row.getString(2));
                        columns.add(new Column(row.getString(2), row.getString(3), row.getString(4), idType));
                    }
                }
                // Each row has the same values of the table.
                if (!row.last()) {
                    return new Known(RowTable.named(table), List.of(), missing, "", "", 0, 0, false, false, false);
                }
                boolean citus = row.getBoolean(9);
                Identity identity = !given.isEmpty()
                        ? Identity.GIVEN
                        : columns.size() == 1 && row.getBoolean(13) ? Identity.ONE_COLUMN : Identity.CATALOG;
                return new Known(
                        new RowTable(table, List.copyOf(columns), identity, row.getBoolean(10)),
                        columns.stream().map(Column::name).toList(),
                        missing,
                        row.getString(1),
                        row.getString(5),
                        row.getLong(6),
                        row.getLong(11),
                        citus,
                        row.getBoolean(12) && !citus,
                        false);
            }
        }
    }
}
