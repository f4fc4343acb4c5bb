package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Statements that read the entries, and write at most what PostgreSQL does not wait for when their transaction commits.
 * What they have seen is told when that is acknowledged, so it must be there after a failover.
 */
enum EarlyRead {
    PLAIN("select (ENTRIES)", false),
    READ_ONLY("select (ENTRIES)", true),
    XID("select (ENTRIES), txid_current()", false),
    READ_ONLY_WITH_XID("select (ENTRIES), txid_current()", true),
    KEY("select (ENTRIES) from pg_advisory_xact_lock(ID)", false),
    READ_ONLY_WITH_KEY("select (ENTRIES) from pg_advisory_xact_lock(ID)", true),
    ROW("select (ENTRIES) from reader where id = ID for update", false),
    UNLOGGED_ROW("select (ENTRIES) from scratch where id = ID for update", false),
    UNLOGGED_WRITE("update scratch set n = n + 1 where id = ID returning (ENTRIES)", false);

    static final int MOST = 100;

    /** What they need. A row each, so that none waits for another. */
    static final List<String> TABLES = List.of(
            "create table reader(id int primary key)",
            "insert into reader select g from generate_series(1, " + MOST + ") g",
            "create unlogged table scratch(id int primary key, n int not null default 0)",
            "insert into scratch select id from reader");

    /** By which it commits. */
    enum Way {
        COMMIT,
        AUTOCOMMIT,
        SWITCH_TO_AUTOCOMMIT,
        COMMIT_AS_TEXT
    }

    private final String sql;
    private final boolean readOnly;

    EarlyRead(String sql, boolean readOnly) {
        this.sql = sql.replace("ENTRIES", "select string_agg(id::text, ' ') from entry");
        this.readOnly = readOnly;
    }

    /** One of them all, in one of the ways. */
    static Set<Integer> readByAny(Connection connection, int id, Random random) throws SQLException {
        return values()[random.nextInt(values().length)].read(
                connection, id, Way.values()[random.nextInt(Way.values().length)]);
    }

    /**
     * Reads, and commits.
     *
     * @param id of its own rows
     * @return the entries that it has seen
     */
    Set<Integer> read(Connection connection, int id, Way way) throws SQLException {
        connection.setReadOnly(readOnly);
        connection.setAutoCommit(way == Way.AUTOCOMMIT);
        String ids;
        try (PreparedStatement statement = connection.prepareStatement(sql.replace("ID", "?"))) {
            if (sql.contains("ID")) {
                statement.setInt(1, id);
            }
            statement.execute();
            ResultSet row = statement.getResultSet();
            row.next();
            ids = row.getString(1);
        }
        switch (way) {
            case COMMIT -> connection.commit();
            case SWITCH_TO_AUTOCOMMIT -> connection.setAutoCommit(true);
            case COMMIT_AS_TEXT -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("commit");
                }
            }
            default -> {
                // Its statement was its transaction.
            }
        }
        return ids == null
                ? Set.of()
                : Arrays.stream(ids.split(" ")).map(Integer::valueOf).collect(Collectors.toSet());
    }
}
