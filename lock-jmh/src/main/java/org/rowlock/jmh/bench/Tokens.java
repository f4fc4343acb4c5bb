package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * A fencing token per key, from 0 on, and a journal of who has raised which to what. A token is read, and written back one
 * higher: two that are inside one lock raise it to the same. The journal has no constraint that would keep that out.
 */
final class Tokens {
    static final String TABLE = "tokens";
    private static final String JOURNAL = "journal";

    private Tokens() {}

    /** Makes the tables, new. */
    static void create(BenchmarkServer server, int keys) throws SQLException {
        server.execute(
                "drop table if exists " + TABLE + ", " + JOURNAL,
                "create table " + TABLE + " (id int primary key, token bigint not null)",
                "create table " + JOURNAL + " (transaction bigint not null, id int not null, token bigint not null)",
                "insert into " + TABLE + " select i, 0 from generate_series(1, " + keys + ") i",
                "vacuum analyze " + TABLE);
    }

    /** Raises a token by one, in the caller's transaction. */
    static void raise(Connection connection, int id, long transaction) throws SQLException {
        long token = Sql.query(connection, "select token from " + TABLE + " where id = ?", id) + 1;
        Sql.update(connection, "update " + TABLE + " set token = ? where id = ?", token, id);
        Sql.update(connection, "insert into " + JOURNAL + " values (?, ?, ?)", transaction, id, token);
    }

    static List<LossLedger.Entry> journal(Connection connection) throws SQLException {
        List<LossLedger.Entry> entries = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select transaction, id, token from " + JOURNAL)) {
            while (row.next()) {
                entries.add(new LossLedger.Entry(row.getLong(1), row.getInt(2), row.getLong(3)));
            }
        }
        return entries;
    }

    /** By key, of all keys that have ever been raised. */
    static Map<Integer, Long> raised(Connection connection) throws SQLException {
        Map<Integer, Long> tokens = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select id, token from " + TABLE + " where token <> 0")) {
            while (row.next()) {
                tokens.put(row.getInt(1), row.getLong(2));
            }
        }
        return tokens;
    }
}
