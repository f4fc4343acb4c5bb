package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;

/**
 * A fencing token for each key, which begins at 0, and a journal of each raise with its transaction. A raise reads the
 * token and writes the value plus one. Two transactions inside one lock would therefore raise the token to the same
 * value. The journal has no constraint that would prevent this error.
 */
final class Tokens {
    static final String TABLE = "tokens";
    private static final String JOURNAL = "journal";

    private Tokens() {}

    /** Drops and creates the tables. */
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

    /** Returns the token of every key that was ever raised, by key. */
    static Map<Integer, Long> raised(Connection connection) throws SQLException {
        Map<Integer, Long> tokens = new HashMap<>();
        Jdbc.list(
                connection,
                "select id, token from " + TABLE + " where token <> 0",
                row -> tokens.put(row.getInt(1), row.getLong(2)));
        return tokens;
    }
}
