package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;

/**
 * A fencing token per key, from 0 on, and a journal of each rise and its author. A token is read, and written back one
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
        long token = Jdbc.number(connection, "select token from " + TABLE + " where id = ?", id) + 1;
        Jdbc.updateOne(connection, "update " + TABLE + " set token = ? where id = ?", token, id);
        Jdbc.updateOne(connection, "insert into " + JOURNAL + " values (?, ?, ?)", transaction, id, token);
    }

    static List<LossLedger.Entry> journal(Connection connection) throws SQLException {
        return Jdbc.list(
                connection,
                "select transaction, id, token from " + JOURNAL,
                row -> new LossLedger.Entry(row.getLong(1), row.getInt(2), row.getLong(3)));
    }

    /** By key, of all keys that have ever been raised. */
    static Map<Integer, Long> raised(Connection connection) throws SQLException {
        Map<Integer, Long> tokens = new HashMap<>();
        Jdbc.list(
                connection,
                "select id, token from " + TABLE + " where token <> 0",
                row -> tokens.put(row.getInt(1), row.getLong(2)));
        return tokens;
    }
}
