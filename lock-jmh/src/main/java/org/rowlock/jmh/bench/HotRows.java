package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/** The work of {@code zipfian}, for scenarios that look at it from another side. Thread-safe. */
final class HotRows {
    static final int ROWS = 100;

    private final Accounts accounts;
    private final Exclusion exclusion = new Exclusion(ROWS + 1);
    private final Transactions transactions;

    private HotRows(Accounts accounts, Transactions transactions) {
        this.accounts = accounts;
        this.transactions = transactions;
    }

    /**
     * Makes the rows.
     *
     * @param storage parameters of the table, such as {@code autovacuum_enabled = off}
     * @param clients a connection for each
     */
    static HotRows create(BenchmarkServer server, String variant, String storage, int clients) throws SQLException {
        Accounts accounts = Accounts.create(server, ROWS);
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("alter table " + Accounts.TABLE + " set (" + storage + ")");
        }
        return new HotRows(accounts, new Transactions(Variant.parse(variant), server.pool(clients)));
    }

    /** Begins, locks the row, updates it three times, commits. */
    void transaction(int aid, Latency lock) throws SQLException {
        Hold hold = new Hold(accounts.key(aid), lock, exclusion, aid);
        transactions.run(hold, Accounts.add(aid), connection -> {
            Accounts.updateTwice(connection, aid);
            return null;
        });
        Throughput.completed();
    }

    /** Fails if two were inside one lock, or an update was lost. */
    void check() throws SQLException {
        exclusion.check();
        accounts.check();
    }
}
