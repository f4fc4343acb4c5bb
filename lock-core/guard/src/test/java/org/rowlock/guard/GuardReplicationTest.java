package org.rowlock.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.TestDatabase.execute;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * Logical replication must not stop. The guard therefore accepts the writes of its apply worker, and still rejects
 * other writers.
 */
class GuardReplicationTest {
    private static final String TABLE = "create table account(id int primary key, balance int)";

    @Test
    void whatIsReplicatedIsAppliedThoughTheKeyIsHeld() throws Exception {
        TestPostgres server = TestPostgres.embedded(Map.of("wal_level", "logical"));
        try (Connection publisher = server.dataSource().getConnection()) {
            execute(
                    publisher,
                    "create database subscriber",
                    TABLE,
                    "insert into account values (7, 100)",
                    "create publication shop for table account",
                    "select pg_create_logical_replication_slot('shop', 'pgoutput')");
            PGSimpleDataSource there = server.dataSource();
            there.setDatabaseName("subscriber");
            try (Connection subscriber = there.getConnection();
                    Connection locker = there.getConnection()) {
                execute(
                        subscriber,
                        TABLE,
                        "insert into account values (7, 100)",
                        Install.schemaAndGuard("account"),
                        "create subscription shop connection 'host=localhost port="
                                + server.dataSource().getPortNumbers()[0]
                                + " user=" + server.user() + " password=" + server.password()
                                + " dbname=" + server.dataSource().getDatabaseName()
                                + "' publication shop with (create_slot = false, slot_name = 'shop', copy_data = false)");
                locker.setAutoCommit(false);
                locks(LockStrategy.ADVISORY).in(locker).lock(forUpdate(LockKey.row("account", 7)));

                execute(publisher, "update account set balance = 5 where id = 7");

                TestDatabase.await().until(() -> balance(subscriber) == 5);
                assertThatThrownBy(() -> execute(subscriber, "update account set balance = 6 where id = 7"))
                        .hasMessageContaining("locked by another transaction");
                assertThat(balance(subscriber)).isEqualTo(5);
                locker.rollback();
                execute(subscriber, "drop subscription shop");
            }
        } finally {
            server.stop();
        }
    }

    private static int balance(Connection connection) throws SQLException {
        return Integer.parseInt(TestDatabase.query(connection, "select balance from account where id = 7"));
    }
}
