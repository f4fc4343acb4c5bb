package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.RowWait.Row;

/**
 * Tells which row stands behind a page and a tuple number, by its primary key. Reads one row by its place; where the
 * role may not read the key's columns, or there is no primary key, the table is given up.
 */
final class RowNames {
    /** The key as {@code id=42}, of the row at a place; without row security, which may hide rows or run functions. */
    private static final String KEY = """
            select format('select concat_ws('', '', %s) from only %s where ctid = ',
                     string_agg(format('concat(%L, t.%I)', a.attname || '=', a.attname), ', ' order by k.position),
                     i.indrelid::regclass::text || ' as t'),
                   bool_and(has_column_privilege(i.indrelid, a.attnum, 'select')) and not bool_or(c.relrowsecurity)
            from pg_catalog.pg_index as i
            cross join lateral unnest(i.indkey) with ordinality as k (attnum, position)
            join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
            join pg_catalog.pg_class as c on c.oid = i.indrelid
            where i.indrelid = ? and i.indisprimary and k.position <= i.indnkeyatts
            group by i.indrelid
            """;

    private final Map<Long, Optional<String>> selects = new HashMap<>();
    private final Set<String> unreadable = new TreeSet<>();

    /** In the transaction of the sample, whose snapshot still sees the version that was waited for. */
    Optional<String> find(Connection connection, Row row) throws SQLException {
        @Nullable String table = row.table();
        if (table == null) {
            return Optional.empty();
        }
        Optional<String> select = selects.get(row.relation());
        if (select == null) {
            select = select(connection, row.relation());
            selects.put(row.relation(), select);
            if (select.isEmpty()) {
                unreadable.add(table);
            }
        }
        return select.isEmpty() ? Optional.empty() : find(connection, select.get(), row);
    }

    private static Optional<String> find(Connection connection, String select, Row row) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet key = statement.executeQuery(select + "'(" + row.page() + ',' + row.tuple() + ")'")) {
            return key.next() ? Optional.of(key.getString(1)) : Optional.empty();
        }
    }

    private static Optional<String> select(Connection connection, long relation) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(KEY)) {
            statement.setLong(1, relation);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(2) ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    /** After a failure that is the table's, such as one locked by an ALTER TABLE. */
    void giveUp(Row row) {
        selects.put(row.relation(), Optional.empty());
        unreadable.add(String.valueOf(row.table()));
    }

    /** Tables whose rows could not be named. */
    Set<String> unreadable() {
        return unreadable;
    }
}
