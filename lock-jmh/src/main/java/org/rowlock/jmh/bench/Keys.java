package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Param;

/** Lock by an id of some form, commit: what the form of an id costs. Making the key is part of it. */
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE, Strategy.MD5, Strategy.HASHTEXT, Strategy.SAME})
public class Keys extends LockWorkload {
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
