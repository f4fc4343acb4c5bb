package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/**
 * The table of the write mix, in the form of sysbench's: an indexed column, a wide one, and padding. Each kind of write
 * counts itself in the row, by a value that was read and is written back one higher. So the sums over all rows show
 * exactly how many writes there have been, and a lost one is missing.
 */
record Items(BenchmarkServer server, int rows) {
    static final String TABLE = "items";

    private static final String COUNTS =
            "select count(*), sum(k) - sum(id::bigint), sum(plain_writes), sum(inserts) from " + TABLE;

    /**
     * A row as it was read.
     *
     * @param id its primary key
     * @param k the indexed column: the id and the writes that changed it
     * @param plainWrites how many writes changed no index
     * @param inserts how often it was deleted and inserted again
     * @param version one more with each write of {@link Strategy#OPTIMISTIC}
     */
    record Item(int id, long k, long plainWrites, long inserts, long version) {}

    static Items create(BenchmarkServer server, int rows) throws SQLException {
        server.execute(
                "create table " + TABLE + " (id int primary key, k bigint not null, version bigint not null,"
                        + " plain_writes bigint not null, inserts bigint not null, c text not null, pad text not null)",
                "insert into " + TABLE + " select i, i, 0, 0, 0, '" + wide() + "', '" + pad()
                        + "' from generate_series(1, " + rows + ") i",
                "create index on " + TABLE + " (k)",
                "vacuum analyze " + TABLE);
        return new Items(server, rows);
    }

    /** Three rows by id. One that is not there is not in the result. */
    static Map<Integer, Item> read(Connection connection, List<Integer> ids) throws SQLException {
        return Sql.list(
                        connection,
                        "select id, k, plain_writes, inserts, version from " + TABLE + " where id in (?, ?, ?)",
                        row -> new Item(row.getInt(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                        ids.toArray())
                .stream()
                .collect(Collectors.toMap(Item::id, item -> item));
    }

    /** Writes the indexed column. False if the row is gone, or, versioned, is not as it was read. */
    static boolean writeIndexed(Connection connection, Item read, boolean versioned) throws SQLException {
        return write(connection, "update " + TABLE + " set k = ?" + next(versioned), read, versioned, read.k() + 1);
    }

    /** Writes a wide column that no index has. False as above. */
    static boolean writePlain(Connection connection, Item read, boolean versioned) throws SQLException {
        String update = "update " + TABLE + " set c = ?, plain_writes = ?" + next(versioned);
        return write(connection, update, read, versioned, wide(), read.plainWrites() + 1);
    }

    /** Deletes the row and inserts it again under the same id. False as above, and then nothing is inserted. */
    static boolean reinsert(Connection connection, Item read, boolean versioned) throws SQLException {
        if (!write(connection, "delete from " + TABLE, read, versioned)) {
            return false;
        }
        Sql.updateOne(
                connection,
                "insert into " + TABLE
                        + " (id, k, version, plain_writes, inserts, c, pad) values (?, ?, ?, ?, ?, ?, ?)",
                read.id(),
                read.k(),
                read.version() + (versioned ? 1 : 0),
                read.plainWrites(),
                read.inserts() + 1,
                wide(),
                pad());
        return true;
    }

    private static String next(boolean versioned) {
        return versioned ? ", version = version + 1" : "";
    }

    private static boolean write(Connection connection, String sql, Item read, boolean versioned, Object... values)
            throws SQLException {
        List<Object> all = new ArrayList<>(List.of(values));
        all.add(read.id());
        if (versioned) {
            all.add(read.version());
        }
        String where = " where id = ?" + (versioned ? " and version = ?" : "");
        return Sql.update(connection, sql + where, all.toArray()) == 1;
    }

    /** Fails unless every row is there, and each kind of write has left as many traces as there were commits. */
    void check(long commits) throws SQLException {
        long[] found = server.numbers(COUNTS);
        if (!Arrays.equals(found, new long[] {rows, commits, commits, commits})) {
            throw new InvariantViolation("Updates were lost: after " + commits + " commits the rows have seen "
                    + found[1] + " updates of the index, " + found[2] + " other updates and " + found[3]
                    + " inserts, and " + found[0] + " of " + rows + " rows are left");
        }
    }

    /** As long as sysbench's c. */
    private static String wide() {
        return Long.toHexString(ThreadLocalRandom.current().nextLong() | Long.MIN_VALUE)
                .repeat(8)
                .substring(0, 120);
    }

    /** As long as sysbench's pad. */
    private static String pad() {
        return wide().substring(0, 60);
    }
}
