package org.rowlock.jmh.bench;

import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;

/**
 * The variants that use JDBC or lock-core. Most variants write a value that depends on a read, so the sum of the
 * balances reveals a lost update. Not thread-safe.
 */
public final class JdbcDoors {
    static final String BY_HAND = "by-hand";

    private static final String SET = "update accounts set balance = ? where aid = ?";
    private static final int LARGEST_GROUP = 32;
    private static final int LARGEST_GROUP_OF_UPDATES = 64;

    private final BenchmarkServer server;
    private final int clients;
    private final int writes;
    private @Nullable DataSource pool;

    /**
     * @param writes the number of writing statements in a transaction; each raises the balance by 1
     */
    public JdbcDoors(BenchmarkServer server, int clients, int writes) {
        this.server = server;
        this.clients = clients;
        this.writes = writes;
    }

    /**
     * The number of connections of all variants together: two pools with a connection per client, and pools of 16, 8
     * and 4 connections.
     */
    public static int connections(int clients) {
        return 2 * clients + 16 + 8 + 4;
    }

    /** Returns the pool that most variants share, with a connection for each client. */
    public DataSource pool() {
        if (pool == null) {
            // With @RowLock, the application start needs two connections to test that locks exclude each other.
            pool = server.pool(Math.max(2, clients));
        }
        return pool;
    }

    public Door door(String name) {
        return switch (name) {
            case BY_HAND -> byHand(pool());
            case "pool-16" -> byHand(server.pool(16));
            case "pool-8" -> byHand(server.pool(8));
            case "pool-4" -> byHand(server.pool(4));
            case "drop-in" -> byHand(dropIn("queue"));
            case "drop-in-observe" -> byHand(dropIn("observe"));
            case "drop-in-off" -> byHand(dropIn("off"));
            case "select" -> byHand(pool(), Accounts.READ);
            case "naive" -> byHand(pool(), Accounts.READ, "select pg_advisory_xact_lock(4711, ?)");
            case "lock" -> lock(builder().build());
            case "lock-and-read" -> lockAndRead(builder().build());
            case "in-transaction" -> inTransaction(builder().build());
            case "both" -> inTransaction(with(LockStrategy.BOTH));
            case "advisory" -> inTransaction(with(LockStrategy.ADVISORY));
            case "at-commit" -> atCommit(builder().build());
            case "at-commit-advisory" -> atCommit(with(LockStrategy.ADVISORY));
            case "at-commit-early" -> atCommit(early());
            case "execute" -> execute(builder().build());
            case "execute-early" -> execute(early());
            case "groups" -> execute(builder().largestGroup(LARGEST_GROUP).build());
            case "update" -> update(pool());
            case "drop-in-groups" ->
                update(server.pool(
                        clients,
                        server.closeWith(DropInPool.of(server.dataSource(), "queue", LARGEST_GROUP_OF_UPDATES))));
            default -> throw new IllegalArgumentException("There is no door " + name);
        };
    }

    private RowLocksBuilder builder() {
        return RowLocks.builder(pool());
    }

    private RowLocks with(LockStrategy strategy) {
        return builder().strategy(strategy).build();
    }

    private RowLocks early() {
        return builder().release(LockRelease.EARLY).build();
    }

    private DataSource dropIn(String mode) {
        return server.closeWith(DropInPool.of(pool(), mode, 1));
    }

    private Door byHand(DataSource from) {
        return byHand(from, Accounts.READ + " for update");
    }

    private Door byHand(DataSource from, String read, String... locks) {
        return new Door(
                from,
                writes,
                aid -> Jdbc.inTransaction(from, connection -> {
                    for (String lock : locks) {
                        Jdbc.run(connection, lock, aid);
                    }
                    set(connection, aid, Jdbc.number(connection, read, aid));
                }));
    }

    private Door door(Door.Change change) {
        return new Door(pool(), writes, change);
    }

    private Door lock(RowLocks locks) {
        return door(aid -> Jdbc.inTransaction(pool(), connection -> {
            locks.in(connection).lock(request(aid));
            set(connection, aid, Accounts.read(connection, aid));
        }));
    }

    private Door lockAndRead(RowLocks locks) {
        return door(aid -> Jdbc.inTransaction(pool(), connection -> {
            List<Long> read = locks.in(connection).lockAndRead(request(aid), Accounts.READ, row -> row.getLong(1), aid);
            set(connection, aid, read.get(0));
        }));
    }

    private Door inTransaction(RowLocks locks) {
        return door(aid -> locks.lock(request(aid))
                .read(Accounts.READ, row -> row.getLong(1), aid)
                .useTransaction(locked -> set(locked.connection(), aid, locked.row())));
    }

    private Door atCommit(RowLocks locks) {
        return door(aid -> locks.lock(request(aid))
                .read(Accounts.READ, row -> row.getLong(1), aid)
                .useTransaction(locked -> {
                    for (int i = 1; i <= writes; i++) {
                        locked.atCommit(SET, locked.row() + i, aid).expectOneRow();
                    }
                }));
    }

    private Door execute(RowLocks locks) {
        return door(aid -> {
            CommitWrites all = new CommitWrites();
            for (int i = 0; i < writes; i++) {
                all.add(Accounts.ADD, aid).expectOneRow();
            }
            locks.lock(request(aid)).execute(all);
        });
    }

    private static Door update(DataSource from) {
        return new Door(from, 1, aid -> {
            try (Connection connection = from.getConnection()) {
                connection.setAutoCommit(true);
                Jdbc.updateOne(connection, Accounts.ADD, aid);
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
        return forUpdate(LockKey.row(Accounts.TABLE, aid));
    }
}
