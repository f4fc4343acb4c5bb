package org.rowlock.contract;

import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockRequest;
import org.rowlock.LockResult;
import org.rowlock.RowLocks;
import org.rowlock.TransactionLocks;
import org.rowlock.internal.access.LockAccess;

/** The program that {@link WalkTest} walks along: warm calls, each between {@link #begin} and {@link #end}. */
final class WalkedCalls {
    private static final int WARM = 3;

    private static final LockRequest ACCOUNT = forUpdate(row("account", 1));

    private WalkedCalls() {}

    private interface Call {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        if (!args[1].isEmpty()) {
            dataSource.setUser(args[1]);
            dataSource.setPassword(args[2]);
        }
        RowLocks locks = LockAccess.builder().build();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            TransactionLocks own = locks.in(connection);
            walk("lock", () -> {
                LockResult unused = own.lock(ACCOUNT);
                connection.rollback();
            });
        }
        RowLocks pooled = on(locks, dataSource);
        walk(
                "inTransaction",
                () -> pooled.lock(ACCOUNT)
                        .read("select balance from account where id = 1", row -> row.getLong(1))
                        .inTransaction(tx -> {
                            tx.atCommit("update account set balance = 1 where id = 1");
                            return null;
                        }));
    }

    private static void walk(String name, Call call) throws Exception {
        for (int i = 0; i < WARM; i++) {
            call.run();
        }
        begin(name);
        call.run();
        end();
    }

    static void begin(String name) {}

    static void end() {}
}
