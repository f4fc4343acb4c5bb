package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;

/** Lock by an id of some form, commit: what the form of an id costs. Making the key is part of it. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE, Strategy.MD5, Strategy.HASHTEXT, Strategy.SAME})
public class Keys extends LockWorkload {
    static final Scenario SCENARIO = new Scenario(
                    "keys",
                    Keys.class,
                    Arrays.stream(KeyForm.values())
                            .map(form -> Point.of(form.name().toLowerCase(java.util.Locale.ROOT), 1, "id", form.name()))
                            .toList(),
                    Variant.of("FOR_UPDATE", "ROW", "BOTH", "ADVISORY", "NAIVE", "MD5", "HASHTEXT"),
                    List.of(
                            Metric.throughput("transactions"),
                            Metric.lower("time", "time of a transaction", "us"),
                            Metric.lower("cpu", "processor time of the client", "us"),
                            Metric.lower("allocated", "allocation in the client", "B"),
                            Metric.wal(),
                            Metric.xids()))
            .timed(Timing.EXACT);

    private static final int ROWS = 1_000;

    @Param("1")
    public int clients;

    /** The form of the id. */
    @Param("INT")
    public KeyForm id = KeyForm.INT;

    private Object[] ids;
    private Locking locking;

    @Override
    void prepare() throws SQLException {
        ids = IntStream.rangeClosed(1, ROWS).mapToObj(id::id).toArray();
        id.create(server, ids);
        atEnd(() -> {
            Contest.keepsOut(server, connection -> lock(connection, 0), connection -> lock(connection, 0));
            Contest.letsIn(server, connection -> lock(connection, 0), connection -> lock(connection, 1));
        });
        locking = locking(server.dataSource(), id.table(), id.columns().toArray(String[]::new));
        Session.warmUp(server, this::transact);
        threads.add("client", clients, number -> {
            Session session = new Session(server, meter);
            return () -> {
                session.run(this::transact);
                return 1;
            };
        });
    }

    private void transact(Connection connection) throws SQLException {
        locking.lock(connection, ids[ThreadLocalRandom.current().nextInt(ROWS)]);
        connection.commit();
    }

    private void lock(Connection connection, int row) throws SQLException {
        locking.lock(connection, ids[row]);
    }
}
