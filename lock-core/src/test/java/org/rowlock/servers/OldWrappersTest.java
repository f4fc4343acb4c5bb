package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Refusals.assertRefusal;
import static org.rowlock.testing.Refusals.state;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.commit.CommitWay;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import software.amazon.jdbc.ds.AwsWrapperDataSource;

/**
 * What stands in front of the driver may be older than JDBC 4.2, whose methods are the default methods of its
 * interfaces. What is stored is reported as stored all the same.
 */
class OldWrappersTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final String ADD = "update account set balance = balance + ? where id = ?";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    private enum Wrapper {
        UNSUPPORTED,
        NOT_SUPPORTED,
        /** The same, and it does not lead to the driver's statements. */
        NO_UNWRAP,
        /** Unwraps only to the wrapper behind it, as Tomcat's pool does. */
        NEXT,
        /** The AWS Advanced JDBC Wrapper. */
        AWS
    }

    private DataSource dataSource(Wrapper wrapper) {
        PGSimpleDataSource driver = database.dataSource();
        if (wrapper == Wrapper.AWS) {
            return aws(driver);
        }
        DataSource behind = wrapper == Wrapper.NEXT ? dataSource(Wrapper.NO_UNWRAP) : driver;
        return Proxies.of(DataSource.class, (proxy, method, arguments) -> wrapped(wrapper, behind, method, arguments));
    }

    private static AwsWrapperDataSource aws(PGSimpleDataSource driver) {
        Properties properties = new Properties();
        properties.setProperty("wrapperPlugins", "failover,efm2");
        AwsWrapperDataSource aws = new AwsWrapperDataSource();
        aws.setTargetDataSourceClassName(PGSimpleDataSource.class.getName());
        aws.setJdbcProtocol("jdbc:postgresql:");
        aws.setServerName(driver.getServerNames()[0]);
        aws.setServerPort(String.valueOf(driver.getPortNumbers()[0]));
        aws.setDatabase(driver.getDatabaseName());
        properties.setProperty("currentSchema", driver.getCurrentSchema());
        aws.setTargetDataSourceProperties(properties);
        aws.setUser(driver.getUser());
        aws.setPassword(driver.getPassword());
        return aws;
    }

    private static Object wrapped(Wrapper wrapper, Object target, Method method, Object[] arguments) throws Throwable {
        if (method.isDefault()) {
            throw wrapper == Wrapper.UNSUPPORTED
                    ? new UnsupportedOperationException(method.getName())
                    : new SQLFeatureNotSupportedException(method.getName());
        }
        boolean unwraps = method.getName().equals("unwrap") || method.getName().equals("isWrapperFor");
        if (wrapper == Wrapper.NO_UNWRAP && unwraps && target instanceof Statement) {
            throw new UnsupportedOperationException(method.getName());
        }
        if (wrapper == Wrapper.NEXT && unwraps) {
            Class<?> type = (Class<?>) arguments[0];
            return method.getName().equals("unwrap") ? type.cast(target) : type.isInstance(target);
        }
        Object result = Proxies.call(target, method, arguments);
        if (unwraps) {
            return result;
        }
        for (Class<?> type : List.of(Connection.class, PreparedStatement.class, Statement.class, ResultSet.class)) {
            if (type.isInstance(result) && method.getReturnType().isAssignableFrom(type)) {
                return Proxies.of(type, (proxy, called, given) -> wrapped(wrapper, result, called, given));
            }
        }
        return result;
    }

    @EveryStrategy
    void whatIsStoredIsReportedAsStored(RowLocks locks, Wrapper wrapper) throws Exception {
        DataSource dataSource = dataSource(wrapper);
        int added = 0;
        for (CommitWay way : CommitWay.values()) {
            for (int i = 0; i < 3; i++) {
                way.add(locks, dataSource, 1);
                added++;
            }
        }
        CommitWrites writes = new CommitWrites();
        CommitWrite counted = writes.add(ADD, 1, 1);
        CommitWrite returned = writes.add(ADD + " returning balance", 1, 1);
        on(locks, dataSource).lock(forUpdate(KEY)).execute(writes);
        added += 2;
        assertThat(counted.count()).isEqualTo(1);
        assertThat(returned.rows()).containsExactly(List.of((long) added));
        Long seen = on(locks, dataSource)
                .lock(forUpdate(KEY))
                .read("select balance from account where id = ?", rows -> rows.getLong(1), 1)
                .inTransaction(locked -> {
                    locked.atCommit(ADD, 1, 1).expectOneRow();
                    return locked.rows().get(0);
                });
        assertThat(seen).isEqualTo(added);
        assertThat(database.query("select balance from account")).isEqualTo(String.valueOf(added + 1));
    }

    /** As the AWS wrapper, when it has connected anew while it committed: its word for that means "run it again". */
    @ParameterizedTest
    @EnumSource
    void aCommitThatEndsInAnotherConnectionIsUnknown(CommitWay way) throws Exception {
        SQLException anew = new SQLException("The connection is another now", "08S02");
        DataSource dataSource = TestDataSource.of(
                () -> behind(database.dataSource().getConnection(), Connection.class, "commit"::equals, anew));
        assertThatThrownBy(() -> way.add(LockAccess.builder().build(), dataSource, 1))
                .isInstanceOf(CommitOutcomeUnknownException.class)
                .satisfies(state("08007"))
                .hasRootCause(anew);
        assertThat(database.query("select balance from account")).isEqualTo("1");
    }

    /** As the AWS wrapper after a failover, whose error the work ignores: the new connection holds no lock. */
    @EveryStrategy
    void workIsRefusedIfTheWrapperHasConnectedAnewMeanwhile(LockStrategy strategy) throws Exception {
        for (boolean atCommit : new boolean[] {true, false}) {
            refusesOnANewConnection(strategy, atCommit);
        }
    }

    private void refusesOnANewConnection(LockStrategy strategy, boolean atCommit) throws Exception {
        AtomicReference<Connection> below = new AtomicReference<>();
        DataSource dataSource = TestDataSource.of(() -> {
            below.set(database.dataSource().getConnection());
            return Proxies.of(
                    Connection.class, (proxy, method, arguments) -> Proxies.call(below.get(), method, arguments));
        });
        assertRefusal(
                        LockConnectionLostException.class,
                        "08006",
                        () -> on(locks(strategy), dataSource)
                                .lock(forUpdate(KEY))
                                .inTransaction(locked -> {
                                    below.get().close();
                                    below.set(TestDatabase.begin(database.dataSource()));
                                    if (atCommit) {
                                        return locked.atCommit(ADD, 1, 1);
                                    }
                                    TestDatabase.execute(
                                            locked.connection(), "update account set balance = 1 where id = 1");
                                    return true;
                                }))
                .hasMessageContaining("not committed");
        assertThat(database.query("select balance from account")).isEqualTo("0");
    }

    /** Has methods fail once they are done, and the COMMIT in a flush. */
    private static <T> T behind(Object target, Class<T> type, Predicate<String> fails, SQLException failure) {
        return Proxies.of(type, (proxy, method, arguments) -> {
            Object result = Proxies.call(target, method, arguments);
            if (fails.test(method.getName())) {
                throw failure;
            }
            boolean commits = method.getName().equals("prepareStatement")
                    && String.valueOf(arguments[0]).contains("COMMIT");
            return commits ? behind(result, PreparedStatement.class, "execute"::equals, failure) : result;
        });
    }
}
