package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.rowlock.jmh.server.BenchmarkServer;

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
        Map<Integer, Item> items = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(
                "select id, k, plain_writes, inserts, version from " + TABLE + " where id in (?, ?, ?)")) {
            for (int i = 0; i < ids.size(); i++) {
                select.setInt(i + 1, ids.get(i));
            }
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    items.put(
                            row.getInt(1),
                            new Item(row.getInt(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)));
                }
            }
        }
        return items;
    }

    /** Writes the indexed column. False if the row is gone, or, versioned, is not as it was read. */
    static boolean writeIndexed(Connection connection, Item read, boolean versioned) throws SQLException {
        String set = "update " + TABLE + " set k = ?" + (versioned ? ", version = version + 1" : "");
        try (PreparedStatement update = connection.prepareStatement(set + where(versioned))) {
            update.setLong(1, read.k() + 1);
            return isDone(update, 2, read, versioned);
        }
    }

    /** Writes a wide column that no index has. False as above. */
    static boolean writePlain(Connection connection, Item read, boolean versioned) throws SQLException {
        String set = "update " + TABLE + " set c = ?, plain_writes = ?" + (versioned ? ", version = version + 1" : "");
        try (PreparedStatement update = connection.prepareStatement(set + where(versioned))) {
            update.setString(1, wide());
            update.setLong(2, read.plainWrites() + 1);
            return isDone(update, 3, read, versioned);
        }
    }

    /** Deletes the row and inserts it again under the same id. False as above, and then nothing is inserted. */
    static boolean reinsert(Connection connection, Item read, boolean versioned) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("delete from " + TABLE + where(versioned))) {
            if (!isDone(delete, 1, read, versioned)) {
                return false;
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into " + TABLE
                + " (id, k, version, plain_writes, inserts, c, pad) values (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setInt(1, read.id());
            insert.setLong(2, read.k());
            insert.setLong(3, read.version() + (versioned ? 1 : 0));
            insert.setLong(4, read.plainWrites());
            insert.setLong(5, read.inserts() + 1);
            insert.setString(6, wide());
            insert.setString(7, pad());
            insert.executeUpdate();
            return true;
        }
    }

    private static String where(boolean versioned) {
        return " where id = ?" + (versioned ? " and version = ?" : "");
    }

    private static boolean isDone(PreparedStatement write, int at, Item read, boolean versioned) throws SQLException {
        write.setInt(at, read.id());
        if (versioned) {
            write.setLong(at + 1, read.version());
        }
        return write.executeUpdate() == 1;
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
