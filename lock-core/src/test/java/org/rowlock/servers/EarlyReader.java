package org.rowlock.servers;

import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.TestDatabase;

/**
 * Transactions that lock, read the payments, and write at most what PostgreSQL does not wait for at their COMMIT. Which
 * payments they have seen is told when they have committed, so it must be there after a crash or a failover.
 */
enum EarlyReader {
    KEY(LockStrategy.ADVISORY, "account", "select 1"),
    ROW(LockStrategy.ROW, "reader", "select 1"),
    ROW_AND_KEY(LockStrategy.BOTH, "reader", "select 1"),
    ABSENT_ROW(LockStrategy.ROW, "nothing", "select 1"),
    UNLOGGED_ROW(LockStrategy.ROW, "scratch", "select 1"),
    UNLOGGED_WRITE(LockStrategy.ADVISORY, "account", "update scratch set n = n + 1 where id = ?"),
    NOTHING_WRITTEN(LockStrategy.ADVISORY, "account", "update payment set id = id where id = -?"),
    XID(LockStrategy.ADVISORY, "account", "select txid_current()"),
    READ_ONLY(LockStrategy.ADVISORY, "account", "set transaction read only"),
    READ_ONLY_WITH_XID(LockStrategy.ADVISORY, "account", "select txid_current(); set transaction read only");

    static final int MOST = 100;

    /** What they need. A row each, so that none waits for another; the unlogged rows are gone after a crash. */
    static final List<String> TABLES = List.of(
            "create table reader(id int primary key)",
            "insert into reader select g from generate_series(1, " + MOST + ") g",
            "create table nothing(id int primary key)",
            "create unlogged table scratch(id int primary key, n int not null default 0)",
            "insert into scratch select id from reader");

    /** By which the transaction is begun and committed. */
    enum Door {
        IN_TRANSACTION,
        COMMIT,
        EXECUTE
    }

    private final RowLocks locks;
    private final String table;
    private final String sql;

    EarlyReader(LockStrategy strategy, String table, String sql) {
        this.locks = LockAccess.builder()
                .strategy(strategy)
                .release(LockRelease.EARLY)
                .build();
        this.table = table;
        this.sql = sql;
    }

    /** Whether all that it does can go with the commit. */
    boolean fits(Door door) {
        return door != Door.EXECUTE || sql.startsWith("update scratch");
    }

    /** One of them all, by one of the doors, or by the one that is early whoever wants the row. */
    static Set<Integer> readByAny(DataSource dataSource, int id, Random random, boolean surelyEarly)
            throws SQLException {
        EarlyReader reader = values()[random.nextInt(values().length)];
        Door door = Door.values()[random.nextInt(Door.values().length)];
        return reader.read(dataSource, id, !surelyEarly && reader.fits(door) ? door : Door.COMMIT);
    }

    /**
     * Reads, and commits.
     *
     * @param id of its own rows
     * @return the payments that it has seen
     */
    Set<Integer> read(DataSource dataSource, int id, Door door) throws SQLException {
        LockKey key = LockKey.row(table, table.equals("account") ? -id : id);
        String own = sql.replace("?", String.valueOf(id));
        switch (door) {
            case IN_TRANSACTION -> {
                return on(locks, dataSource)
                        .lock(forUpdate(key).allowAbsent())
                        .inTransaction(tx -> seen(tx.connection(), own));
            }
            case COMMIT -> {
                try (Connection connection = begin(dataSource)) {
                    locks.in(connection).lock(forUpdate(key).allowAbsent());
                    Set<Integer> seen = seen(connection, own);
                    locks.in(connection).commit(new CommitWrites());
                    return seen;
                }
            }
            default -> {
                try (Connection connection = dataSource.getConnection()) {
                    CommitWrites writes = new CommitWrites();
                    CommitWrite write = writes.add(own + " returning (select string_agg(id::text, ' ') from payment)");
                    on(locks, OneConnection.of(connection))
                            .lock(forUpdate(key).allowAbsent())
                            .execute(writes);
                    Set<Integer> seen = new HashSet<>();
                    for (List<Object> row : write.rows()) {
                        for (String each : row.get(0) == null ? new String[0] : ((String) row.get(0)).split(" ")) {
                            seen.add(Integer.valueOf(each));
                        }
                    }
                    return seen;
                }
            }
        }
    }

    private static Set<Integer> seen(Connection connection, String sql) throws SQLException {
        TestDatabase.execute(connection, sql);
        return EarlyWorkers.stored(connection);
    }
}
