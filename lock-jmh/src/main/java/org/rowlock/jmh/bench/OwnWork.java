package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockTargetException;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.jmh.server.OwnSafety;
import org.rowlock.jmh.server.OwnSql;
import org.rowlock.jmh.server.OwnStatement;

/**
 * Runs the user's transaction on a copy of the table: the locking statement, further statements (the work) and the
 * commit. Rowlock's strategies lock the row in the statement's mode and, in the same round trip, run the statement
 * without its locking clause.
 */
public class OwnWork extends LockWorkload {
    @Param("30")
    public int clients;

    @Param("1.1")
    public double zipf;

    @Override
    void prepare() throws SQLException {
        OwnStatement own = Objects.requireNonNull(
                OwnStatement.ofThisJvm(), "It needs your statement, which only compare --sql gives.");
        List<List<Object>> keys;
        try (Connection connection = server.connect()) {
            own.create(connection);
            for (String copy : own.copies()) {
                Jdbc.execute(connection, "vacuum " + copy);
            }
            keys = own.keys(connection);
        }
        Exclusion exclusion = new Exclusion(keys.size());
        atEnd(exclusion::check);
        boolean isShared = RequestParts.isShared(RowLockMode.valueOf(own.mode()));
        Locking locking =
                locking(server.pool(clients), own.copy(), own.primaryKey().get(0));
        threads.add("client", clients, number -> {
            Latency lock = meter.latency("lock");
            DiscreteSampler sampler = Zipf.zipf(keys.size(), zipf);
            return () -> {
                int key = sampler.sample() - 1;
                lock.begin();
                transaction(locking, own, keys.get(key), connection -> {
                    lock.end();
                    exclusion.inside(key, isShared, () -> {
                        work(connection, own, keys.get(key));
                        Clients.pause(own.holdMillis());
                    });
                });
                return 1;
            };
        });
    }

    private void transaction(Locking locking, OwnStatement own, List<Object> key, Jdbc.Work work) throws SQLException {
        if (admission) {
            locking.locks()
                    .lock(request(own, key))
                    .read(own.read().sql(), row -> true, own.read().binds(key))
                    .useTransaction(locked -> {
                        found(own, key, locked.rows());
                        work.run(locked.connection());
                    });
        } else {
            Jdbc.inTransaction(locking.pool(), connection -> {
                lock(locking, connection, own, key);
                work.run(connection);
            });
        }
    }

    private static void lock(Locking locking, Connection connection, OwnStatement own, List<Object> key)
            throws SQLException {
        found(
                own,
                key,
                locking.isRowlock()
                        ? locking.locks()
                                .in(connection)
                                .lockAndRead(
                                        request(own, key),
                                        own.read().sql(),
                                        row -> true,
                                        own.read().binds(key))
                        : Jdbc.list(
                                connection,
                                own.lock().sql(),
                                row -> true,
                                own.lock().binds(key)));
    }

    private static LockRequest request(OwnStatement own, List<Object> key) {
        return LockRequest.of(RowLockMode.valueOf(own.mode()), List.of(LockKey.row(own.copy(), own.id(key))));
    }

    private static void found(OwnStatement own, List<Object> key, List<Boolean> rows) {
        if (rows.isEmpty()) {
            throw new IllegalStateException("The lock found no row for the key " + key + ": "
                    + own.lock().sql()
                    + " Its conditions exclude the row, or have excluded it since a transaction changed the row. Let"
                    + " --keys return only keys whose rows match, and let the work restore the row, or leave out all"
                    + " conditions but the key.");
        }
    }

    private static void work(Connection connection, OwnStatement own, List<Object> key) throws SQLException {
        for (OwnSql each : own.work()) {
            Jdbc.run(connection, each.sql(), each.binds(key));
        }
    }

    /**
     * Runs the transaction of the hottest key with each strategy. Repeating the transaction also reveals a statement
     * that can run only once. The caller rolls back the connection's transaction.
     *
     * @return the strategies that cannot lock by keys of this type, with the reason
     */
    public static Map<Strategy, String> tryOut(
            Connection connection, DataSource server, OwnStatement own, List<List<Object>> keys) throws SQLException {
        // A value that cannot be an id, such as a blank text, fails here.
        keys.forEach(key -> request(own, key));
        Map<Strategy, String> refused = new EnumMap<>(Strategy.class);
        Savepoint before = connection.setSavepoint();
        for (Strategy each : List.of(Strategy.FOR_UPDATE, Strategy.ROW, Strategy.BOTH, Strategy.ADVISORY)) {
            try {
                Locking locking = new Locking(
                        each, false, server, own.copy(), own.primaryKey().get(0));
                lock(locking, connection, own, keys.get(0));
                work(connection, own, keys.get(0));
            } catch (LockTargetException e) {
                connection.rollback(before);
                refused.put(each, String.valueOf(e.getMessage()));
            }
        }
        OwnSafety.refuseWhatIsLocked(connection);
        return refused;
    }
}
