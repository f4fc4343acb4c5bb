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
 * The variants that use JDBC or lock-core. Their writes depend on their reads, so a lost update shows in the sum. Not
 * thread-safe.
 */
public final class JdbcDoors {
    static final String BY_HAND = "by-hand";

    /** The names of the variants that the command {@code doors} compares. Scenarios use further variants. */
    public static final List<String> NAMES = List.of(
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

    private static final String LOCK_AND_READ = Accounts.READ + " for update";
    private static final String SET = "update accounts set balance = ? where aid = ?";
    private static final int LARGEST_GROUP = 32;
    private static final int LARGEST_GROUP_OF_UPDATES = 64;

    private final BenchmarkServer server;
    private final int clients;
    private final int writes;
    private @Nullable DataSource pool;

    /**
     * @param clients the number of threads that use a variant
     * @param writes the number of writing statements in a transaction; each raises the balance by 1
     */
    public JdbcDoors(BenchmarkServer server, int clients, int writes) {
        this.server = server;
        this.clients = clients;
        this.writes = writes;
    }

    /**
     * The number of connections of all variants together. The pools are the shared pool, the pool over the drop-in with
     * groups, and three pools of 16, 8 and 4 connections.
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
            case BY_HAND -> byHand("by hand", pool());
            case "pool-16" -> byHand("by hand, pool of 16", server.pool(16));
            case "pool-8" -> byHand("by hand, pool of 8", server.pool(8));
            case "pool-4" -> byHand("by hand, pool of 4", server.pool(4));
            case "drop-in" -> byHand("drop-in", dropIn("queue"));
            case "drop-in-observe" -> byHand("drop-in observe", dropIn("observe"));
            case "drop-in-off" -> byHand("drop-in off", dropIn("off"));
            case "lock" -> lock("lock", builder().build());
            case "lock-and-read" -> lockAndRead("lockAndRead", builder().build());
            case "in-transaction" -> inTransaction("inTransaction", builder().build());
            case "both" -> inTransaction("inTransaction, BOTH", with(LockStrategy.BOTH));
            case "advisory" -> inTransaction("inTransaction, ADVISORY", with(LockStrategy.ADVISORY));
            case "at-commit" -> atCommit("writes with the commit", builder().build());
            case "at-commit-advisory" -> atCommit("writes with the commit, ADVISORY", with(LockStrategy.ADVISORY));
            case "at-commit-early" -> atCommit("writes with the commit, early release", early());
            case "execute" -> execute("execute", builder().build());
            case "execute-early" -> execute("execute, early release", early());
            case "groups" ->
                execute(
                        "execute, groups of " + LARGEST_GROUP,
                        builder().largestGroup(LARGEST_GROUP).build());
            case "update" -> update("one UPDATE in autocommit, by hand", pool());
            case "drop-in-groups" ->
                update(
                        "one UPDATE in autocommit, drop-in, groups of " + LARGEST_GROUP_OF_UPDATES,
                        server.pool(
                                clients,
                                server.closeWith(
                                        DropInPool.of(server.dataSource(), "queue", LARGEST_GROUP_OF_UPDATES))));
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

    private Door byHand(String label, DataSource from) {
        return new Door(
                label,
                from,
                writes,
                aid -> Jdbc.inTransaction(from, connection -> {
                    set(connection, aid, Jdbc.number(connection, LOCK_AND_READ, aid));
                }));
    }

    private Door door(String label, Door.Change change) {
        return new Door(label, pool(), writes, change);
    }

    private Door lock(String label, RowLocks locks) {
        return door(
                label,
                aid -> Jdbc.inTransaction(pool(), connection -> {
                    locks.in(connection).lock(request(aid));
                    set(connection, aid, Accounts.read(connection, aid));
                }));
    }

    private Door lockAndRead(String label, RowLocks locks) {
        return door(
                label,
                aid -> Jdbc.inTransaction(pool(), connection -> {
                    List<Long> read =
                            locks.in(connection).lockAndRead(request(aid), Accounts.READ, row -> row.getLong(1), aid);
                    set(connection, aid, read.get(0));
                }));
    }

    private Door inTransaction(String label, RowLocks locks) {
        return door(
                label,
                aid -> locks.lock(request(aid))
                        .read(Accounts.READ, row -> row.getLong(1), aid)
                        .useTransaction(locked -> set(locked.connection(), aid, locked.row())));
    }

    private Door atCommit(String label, RowLocks locks) {
        return door(
                label,
                aid -> locks.lock(request(aid))
                        .read(Accounts.READ, row -> row.getLong(1), aid)
                        .useTransaction(locked -> {
                            for (int i = 1; i <= writes; i++) {
                                locked.atCommit(SET, locked.row() + i, aid).expectOneRow();
                            }
                        }));
    }

    private Door execute(String label, RowLocks locks) {
        return door(label, aid -> {
            CommitWrites all = new CommitWrites();
            for (int i = 0; i < writes; i++) {
                all.add(Accounts.ADD, aid).expectOneRow();
            }
            locks.lock(request(aid)).execute(all);
        });
    }

    private static Door update(String label, DataSource from) {
        return new Door(label, from, 1, aid -> {
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
