package org.rowlock.jmh.doors;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.jmh.bench.DropInPool;
import org.rowlock.jmh.server.Jdbc;

/** The variants that use JDBC or lock-core. Their writes depend on their reads, so a lost update shows in the sum. */
final class JdbcDoors {
    static final String BY_HAND = "by-hand";

    static final List<String> NAMES = List.of(
            BY_HAND,
            "pool-16",
            "pool-8",
            "pool-4",
            "lock",
            "lock-and-read",
            "in-transaction",
            "both",
            "advisory",
            "at-commit",
            "execute",
            "groups",
            "drop-in",
            "update",
            "drop-in-groups");

    private static final String LOCK_AND_READ = Door.READ + " for update";
    private static final String SET = "update accounts set balance = ? where aid = ?";
    private static final String ADD = "update accounts set balance = balance + 1 where aid = ?";
    private static final int LARGEST_GROUP = 32;
    private static final int LARGEST_GROUP_OF_UPDATES = 64;

    private final DoorPools pools;
    private final DataSource pool;
    private final int writes;

    /**
     * @param writes the number of writing statements in a transaction; each raises the balance by 1
     */
    JdbcDoors(DoorPools pools, int writes) {
        this.pools = pools;
        this.pool = pools.shared();
        this.writes = writes;
    }

    Door door(String name) {
        RowLocks locks = RowLocks.of(pool);
        return switch (name) {
            case BY_HAND -> byHand("by hand", pool);
            case "pool-16" -> byHand("by hand, pool of 16", pools.sized(16));
            case "pool-8" -> byHand("by hand, pool of 8", pools.sized(8));
            case "pool-4" -> byHand("by hand, pool of 4", pools.sized(4));
            case "drop-in" -> byHand("drop-in", pools.closing(DropInPool.of(pool, "queue", 1)));
            case "lock" ->
                new Door(
                        "lock",
                        pool,
                        writes,
                        aid -> Jdbc.inTransaction(pool, connection -> {
                            locks.in(connection).lock(request(aid));
                            set(connection, aid, Jdbc.number(connection, Door.READ, aid));
                        }));
            case "lock-and-read" ->
                new Door(
                        "lockAndRead",
                        pool,
                        writes,
                        aid -> Jdbc.inTransaction(pool, connection -> {
                            List<Long> read = locks.in(connection)
                                    .lockAndRead(request(aid), Door.READ, row -> row.getLong(1), aid);
                            set(connection, aid, read.get(0));
                        }));
            case "in-transaction" -> inTransaction("inTransaction", locks);
            case "both" -> inTransaction("inTransaction, BOTH", with(LockStrategy.BOTH));
            case "advisory" -> inTransaction("inTransaction, ADVISORY", with(LockStrategy.ADVISORY));
            case "at-commit" ->
                new Door(
                        "writes with the commit",
                        pool,
                        writes,
                        aid -> locks.lock(request(aid))
                                .read(Door.READ, row -> row.getLong(1), aid)
                                .useTransaction(locked -> {
                                    for (int i = 1; i <= writes; i++) {
                                        locked.atCommit(SET, locked.row() + i, aid)
                                                .expectOneRow();
                                    }
                                }));
            case "execute" -> execute("execute", locks);
            case "groups" ->
                execute(
                        "execute, groups of " + LARGEST_GROUP,
                        RowLocks.builder(pool).largestGroup(LARGEST_GROUP).build());
            case "update" -> update("one UPDATE in autocommit, by hand", pool);
            case "drop-in-groups" ->
                update(
                        "one UPDATE in autocommit, drop-in, groups of " + LARGEST_GROUP_OF_UPDATES,
                        pools.over(pools.closing(DropInPool.of(pools.direct(), "queue", LARGEST_GROUP_OF_UPDATES))));
            default -> throw new IllegalArgumentException("There is no door " + name);
        };
    }

    private Door byHand(String label, DataSource from) {
        return new Door(
                label,
                from,
                writes,
                aid -> Jdbc.inTransaction(from, connection -> {
                    set(connection, aid, Jdbc.number(connection, LOCK_AND_READ, aid));
                }));
    }

    private RowLocks with(LockStrategy strategy) {
        return RowLocks.builder(pool).strategy(strategy).build();
    }

    private Door inTransaction(String label, RowLocks locks) {
        return new Door(
                label,
                pool,
                writes,
                aid -> locks.lock(request(aid))
                        .read(Door.READ, row -> row.getLong(1), aid)
                        .useTransaction(locked -> set(locked.connection(), aid, locked.row())));
    }

    private Door execute(String label, RowLocks locks) {
        return new Door(label, pool, writes, aid -> {
            CommitWrites all = new CommitWrites();
            for (int i = 0; i < writes; i++) {
                all.add(ADD, aid).expectOneRow();
            }
            locks.lock(request(aid)).execute(all);
        });
    }

    private Door update(String label, DataSource from) {
        return new Door(label, from, 1, aid -> {
            try (Connection connection = from.getConnection()) {
                connection.setAutoCommit(true);
                Jdbc.updateOne(connection, ADD, aid);
                connection.setAutoCommit(false);
            }
        });
    }

    private void set(Connection connection, int aid, long balance) throws SQLException {
        for (int i = 1; i <= writes; i++) {
            Jdbc.updateOne(connection, SET, balance + i, aid);
        }
    }

    private static LockRequest request(int aid) {
        return forUpdate(LockKey.row(Door.TABLE, aid));
    }
}
