package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.xa.PGXADataSource;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Transactions that others than the connection begin and end, calls, and threads that are not the platform's. */
class ManagedTransactionsTest {
    private static final String LOCK = "select * from account where id = 1 for update";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            2,
            "create procedure add_to(inout total int, amount int) language plpgsql as"
                    + " 'begin perform 1 from account where id = 1 for update; total := total + amount; end'");

    /**
     * A transaction manager begins and ends the transaction at the XAResource, and the connection is not told. So at
     * most the first queues; the outcome is the same.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void transactionsOfATransactionManagerPassThrough(boolean fronts) throws Exception {
        PGXADataSource xaDataSource = new PGXADataSource();
        xaDataSource.setUrl(database.dataSource().getURL());
        xaDataSource.setUser(database.dataSource().getUser());
        xaDataSource.setPassword(database.dataSource().getPassword());
        XAConnection xa = xaDataSource.getXAConnection();
        try {
            GatedDatabase gated = GatedDatabase.of(database, DropInMode.QUEUE, fronts, "account");
            GatedDatabase managed =
                    new GatedDatabase(OneConnection.of(xa.getConnection()), DropInMode.QUEUE, gated.gate);
            managed.learn("account");
            Connection connection = managed.dataSource.getConnection();
            XAResource resource = xa.getXAResource();
            for (int i = 1; i <= 3; i++) {
                Xid xid = new TestXid(database.schema(), i);
                resource.start(xid, XAResource.TMNOFLAGS);
                try (PreparedStatement statement =
                        connection.prepareStatement("update account set balance = balance + 1 where id = ?")) {
                    for (int id = 1; id <= 2; id++) {
                        statement.setInt(1, id);
                        assertThat(statement.executeUpdate()).isOne();
                    }
                }
                resource.end(xid, XAResource.TMSUCCESS);
                resource.commit(xid, true);
            }
            assertThat(database.query("select sum(balance) from account")).isEqualTo("6");
            assertThat(managed.figure("account", "recognised")).isEqualTo(7);
            assertThat(managed.figure("account", "fronted")).isZero();
            assertThat(gated.gate.inside()).isZero();
        } finally {
            xa.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallIsHandedOnAndCountsAsTheFirstLock(boolean fronts) throws Exception {
        GatedDatabase gated = GatedDatabase.of(database, DropInMode.QUEUE, fronts, "account");
        Session holder = database.session("holder");
        Session caller = database.session("caller", gated.dataSource);
        holder.execute("select * from account where id = 2 for update");
        int total = caller.run(connection -> {
            try (CallableStatement call = connection.prepareCall("call add_to(?, ?)")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(1, 40);
                call.setInt(2, 2);
                call.execute();
                return call.getInt(1);
            }
        });
        assertThat(total).isEqualTo(42);
        assertThat(caller.advisoryLocks()).isZero();
        Step<Boolean> second = caller.startExecute("select * from account where id = 2 for update");
        second.awaitBlockedBy(holder);
        assertThat(gated.figure("account", "passed.NOT_FIRST")).isOne();
        holder.commit();
        second.get();
        caller.commit();
    }

    /** More of them than there are platform threads to carry them, all on one row. Needs JDK 21. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void virtualThreadsQueue(boolean fronts) throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
        int threads = 40;
        GatedDatabase gated = GatedDatabase.of(database, DropInMode.QUEUE, fronts, "account");
        Session holder = database.session("holder");
        holder.execute(LOCK);
        ExecutorService virtual = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(virtual.submit(() -> {
                    try (Connection connection = TestDatabase.begin(gated.dataSource);
                            Statement statement = connection.createStatement()) {
                        int updated = statement.executeUpdate("update account set balance = balance + 1 where id = 1");
                        connection.commit();
                        return updated;
                    }
                }));
            }
            gated.awaitQueued(threads - 1);
            holder.commit();
            for (Future<Integer> each : all) {
                assertThat(TestDatabase.result(each)).isOne();
            }
        } finally {
            virtual.shutdownNow();
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo(Integer.toString(threads));
        assertThat(gated.gate.inside()).isZero();
    }

    record TestXid(String name, int number) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return (name + '/' + number).getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
        }
    }
}
