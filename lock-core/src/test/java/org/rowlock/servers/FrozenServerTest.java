package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.TestDatabase.begin;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Session;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** A server that hangs, and answers nothing, holds a bounded wait little longer than its bound. */
@Tag("long")
class FrozenServerTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    @EveryStrategy
    void boundedWaitEndsWithoutAnAnswer(RowLocks locks) throws Exception {
        for (boolean known : List.of(false, true)) {
            try (TcpProxy proxy = TcpProxy.to(database.dataSource());
                    Connection connection = begin(proxy.through(database.dataSource()))) {
                if (known) {
                    locks.in(connection).lock(forUpdate(LockKey.row("account", 2)));
                }
                proxy.freeze();
                CompletableFuture<Boolean> locked = CompletableFuture.supplyAsync(() -> locks.in(connection)
                        .tryLock(forUpdate(KEY).atMost(Duration.ofMillis(1)))
                        .isHeld());
                assertThatThrownBy(() -> TestDatabase.result(locked))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOf(LockConnectionLostException.class)
                        .hasMessageContaining("did not answer");
                assertThat(connection.isClosed()).isTrue();
            }
        }
        TestDatabase.await()
                .until(() -> database.query("select count(*) from pg_locks where locktype = 'advisory'")
                        .equals("0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 50_000, 100_000_000})
    void theSocketsOwnBoundComesBack(int own, Session holder) throws Exception {
        RowLocks locks = LockAccess.builder().build();
        lock(holder, locks, forUpdate(KEY));
        HikariDataSource pool = database.closing(Pools.of(database.dataSource(), 1));
        try (Connection connection = begin(pool)) {
            PgConnection driver = connection.unwrap(PgConnection.class);
            driver.setNetworkTimeout(Runnable::run, own);
            assertThat(locks.in(connection)
                            .tryLock(forUpdate(KEY).atMost(Duration.ofMillis(1)))
                            .isHeld())
                    .isFalse();
            assertThat(driver.getNetworkTimeout()).isEqualTo(own);
            assertThat(locks.in(connection)
                            .tryLock(forUpdate(LockKey.row("account", 2)).atMost(Duration.ofMinutes(1)))
                            .isHeld())
                    .isTrue();
            assertThat(driver.getNetworkTimeout()).isEqualTo(own);
            connection.rollback();
        }
    }

    /** It is the application's, and a bounded wait does not lift it. */
    @Test
    void aShorterSocketTimeoutStays(Session holder) throws Exception {
        RowLocks locks = LockAccess.builder().build();
        lock(holder, locks, forUpdate(KEY));
        Connection connection = database.session("waiter").connection();
        connection.setNetworkTimeout(Runnable::run, 50);
        assertThatThrownBy(() -> locks.in(connection)
                        .tryLock(forUpdate(KEY).atMost(Duration.ofHours(1)))
                        .isHeld())
                .isInstanceOf(LockConnectionLostException.class)
                .hasMessageContaining("socketTimeout");
        // The server notices when it is asked to wait no longer.
        holder.rollback();
    }
}
