package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** verify() passes where advisory locks exclude, and fails where they do not or cannot be tried. */
class VerifyTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    private HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(250);
        return new HikariDataSource(config);
    }

    @ParameterizedTest
    @EnumSource
    void passesOnARealServer(LockStrategy strategy) throws Exception {
        RowLocks.builder().strategy(strategy).build().verify(database.dataSource());
        assertThat(locks()).isEqualTo("0");
    }

    @Test
    void passesThroughAPoolAndGivesTheConnectionsBackAsTheyWere() throws Exception {
        try (HikariDataSource pool = pool(2)) {
            for (int i = 0; i < 3; i++) {
                RowLocks.create().verify(pool);
            }
            try (Connection one = pool.getConnection();
                    Connection other = pool.getConnection()) {
                assertThat(one.getAutoCommit()).isTrue();
                assertThat(other.getAutoCommit()).isTrue();
                assertThat(locks()).isEqualTo("0");
            }
        }
    }

    @Test
    void passesInEveryIsolationLevel() throws Exception {
        for (String level : new String[] {"repeatable read", "serializable"}) {
            PGSimpleDataSource dataSource = database.dataSource();
            dataSource.setOptions("-c default_transaction_isolation=" + level.replace(" ", "\\ "));
            RowLocks.create().verify(dataSource);
        }
        assertThat(locks()).isEqualTo("0");
    }

    @Test
    void failsWhereTheConnectionsLeadToSeveralServers() throws Exception {
        TestPostgres second = TestPostgres.embedded(Map.of());
        try {
            DataSource one = database.dataSource();
            DataSource other = second.dataSource();
            AtomicInteger count = new AtomicInteger();
            DataSource sharded = dataSource((method, arguments) -> count.getAndIncrement() % 2 == 0 ? one : other);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> RowLocks.create().verify(sharded))
                        .isInstanceOf(LockVerificationException.class)
                        .hasMessageContaining("both granted")
                        .hasMessageContaining("PostgreSQL")
                        .hasMessageContaining("ROW");
            }
            assertThat(locks()).isEqualTo("0");
        } finally {
            second.stop();
        }
    }

    @Test
    void aPoolOfOneConnectionIsTooSmall() throws Exception {
        try (HikariDataSource pool = pool(1)) {
            assertThatThrownBy(() -> RowLocks.create().verify(pool))
                    .isInstanceOf(LockVerificationException.class)
                    .hasMessageContaining("two connections");
            // And the one is back.
            assertThatCode(() -> pool.getConnection().close()).doesNotThrowAnyException();
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws IOException {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://localhost:1/postgres");
        assertThatThrownBy(() -> RowLocks.create().verify(nowhere))
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContaining("localhost:1")
                .hasMessageContaining("Check the server");
    }

    @Test
    void readOnlyConnectionsAreRefused() throws Exception {
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setReadOnly(true);
        LockTransactionException refusal = catchThrowableOfType(
                LockTransactionException.class, () -> RowLocks.create().verify(dataSource));
        assertThat(refusal.reason()).isEqualTo(Reason.READ_ONLY);
        assertThat(locks()).isEqualTo("0");
    }

    @Test
    void aDataSourceThatGivesNothingIsRefused() {
        DataSource broken = dataSource((method, arguments) -> {
            throw new java.sql.SQLException("no more");
        });
        assertThatThrownBy(() -> RowLocks.create().verify(broken))
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContaining("no more");
    }

    private String locks() throws Exception {
        return database.query("select count(*) from pg_locks l join pg_stat_activity a using (pid)"
                + " where l.locktype = 'advisory' and a.application_name = '" + database.schema() + "'");
    }

    @FunctionalInterface
    private interface Choice {
        DataSource of(String method, Object[] arguments) throws Exception;
    }

    private static DataSource dataSource(Choice choice) {
        return (DataSource) Proxy.newProxyInstance(
                VerifyTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(choice.of(method.getName(), arguments), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
