package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.zaxxer.hikari.HikariDataSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.spring.internal.pool.Routes;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Checks a DataSource that routes to several databases. Each database has separate queues, and is verified at startup
 * and later.
 */
@Tag("long")
class RoutingTest {
    private static final String[] TABLE = {
        "create table account(id int primary key, balance int not null default 0)", "insert into account values (1)"
    };

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    @RegisterExtension
    final TestDatabase north = new TestDatabase(TABLE);

    @RegisterExtension
    final TestDatabase south = new TestDatabase(TABLE);

    private List<ILoggingEvent> said;

    @BeforeEach
    void listen() {
        said = RowLockTests.logged(south, "org.rowlock.spring.internal.startup", Level.INFO);
    }

    /** The thread of this test runs other tests too. */
    @AfterEach
    void forgetTheTenant() {
        TENANT.remove();
    }

    static class ByTenant extends AbstractRoutingDataSource {
        @Override
        protected Object determineCurrentLookupKey() {
            return TENANT.get();
        }
    }

    static class Accounts {
        @Transactional
        public void hold(@RowLock("account") int id, Runnable work) {
            work.run();
        }
    }

    private TestContext start(DataSource dataSource) {
        return Contexts.start(south, dataSource, Accounts.class);
    }

    private static ByTenant routing(DataSource first, Map<String, DataSource> all) {
        ByTenant routing = new ByTenant();
        routing.setTargetDataSources(new LinkedHashMap<>(all));
        if (first != null) {
            routing.setDefaultTargetDataSource(first);
        }
        routing.afterPropertiesSet();
        return routing;
    }

    private static CompletableFuture<Void> hold(ConfigurableApplicationContext context, String tenant, Runnable work) {
        Accounts accounts = context.getBean(Accounts.class);
        return Blocking.run(() -> {
            TENANT.set(tenant);
            accounts.hold(1, work);
        });
    }

    @Test
    void equalIdsOfTwoRoutesDoNotWaitForEachOther() throws Exception {
        HikariDataSource northern = Contexts.pool(north);
        HikariDataSource southern = Contexts.pool(south);
        ByTenant routing = routing(northern, Map.of("north", northern, "south", southern));
        var context = start(new LazyConnectionDataSourceProxy(routing));
        KeyQueues queues = context.queues();
        CompletableFuture<Void> inside = new CompletableFuture<>();
        CompletableFuture<Void> leave = new CompletableFuture<>();
        CompletableFuture<Void> first = hold(context, "north", () -> {
            inside.complete(null);
            leave.join();
        });
        TestDatabase.result(inside);
        TestDatabase.result(hold(context, "south", () -> {}));
        CompletableFuture<Void> behind = hold(context, "north", () -> {});
        TestDatabase.await().until(() -> queues.entrants().stream().anyMatch(each -> !each.isAdmitted()));
        assertThat(queues.entrants()).extracting(KeyEntries.Entrant::database).containsOnly(northern);
        leave.complete(null);
        TestDatabase.result(first);
        TestDatabase.result(behind);
    }

    /** An application may throw any exception if a call has no tenant. */
    @Test
    void aCallWithoutARouteFailsAsItsTransactionWould() {
        HikariDataSource northern = Contexts.pool(north);
        ByTenant routing = new ByTenant() {
            @Override
            protected Object determineCurrentLookupKey() {
                return Objects.requireNonNull(super.determineCurrentLookupKey(), "no tenant");
            }
        };
        routing.setTargetDataSources(Map.of("north", northern));
        routing.afterPropertiesSet();
        Accounts accounts = start(routing).getBean(Accounts.class);
        assertThatThrownBy(() -> accounts.hold(1, () -> {}))
                .isInstanceOf(CannotCreateTransactionException.class)
                .hasRootCauseMessage("no tenant");
    }

    /** The suspended transaction holds the row of the same id in another database, or in the same database. */
    @Test
    void aSuspendedTransactionOfAnotherRouteHoldsNoRowOfThisOne() {
        HikariDataSource northern = Contexts.pool(north);
        HikariDataSource southern = Contexts.pool(south);
        HikariDataSource again = Contexts.pool(south);
        var context = start(routing(northern, Map.of("north", northern, "south", southern, "southern pool", again)));
        RowLockTemplate template = context.template();
        TransactionTemplate inner = context.transactions(Propagation.REQUIRES_NEW);
        LockRequest first = forNoKeyUpdate(LockKey.row("account", 1));
        Consumer<String> lock = tenant -> {
            TENANT.set(tenant);
            inner.executeWithoutResult(
                    status -> assertThat(template.lock(first).isHeld()).isTrue());
        };
        TENANT.set("south");
        context.inTransaction(status -> {
            assertThat(template.lock(first).isHeld()).isTrue();
            lock.accept("north");
            assertThatThrownBy(() -> lock.accept("south")).hasMessageContaining("a suspended transaction");
            assertThatThrownBy(() -> lock.accept("southern pool")).hasMessageContaining("a suspended transaction");
        });
    }

    /** One name can lead to two servers, for example behind a load balancer. */
    @Test
    void aRouteWhoseLocksDoNotExcludeIsRefusedByName() throws Exception {
        TestPostgres another = TestPostgres.embedded(Map.of());
        south.closing(another::stop);
        PGSimpleDataSource elsewhere = another.dataSource();
        AtomicInteger turn = new AtomicInteger();
        DataSource both = TestDataSource.of(
                () -> (turn.getAndIncrement() % 2 == 0 ? south.dataSource() : elsewhere).getConnection());
        ByTenant routing = routing(north.dataSource(), Map.of("north", north.dataSource(), "south", both));
        assertBadDefinition(() -> start(routing)).hasMessageContainingAll("route south", "servers");
    }

    /** A pool of one connection cannot prove that locks exclude each other. */
    @Test
    void aRouteThatAnswersAndGivesNoVerdictIsRefused() {
        HikariDataSource one = Contexts.pool(south);
        one.setMaximumPoolSize(1);
        one.setConnectionTimeout(250);
        ByTenant routing = routing(north.dataSource(), Map.of("north", north.dataSource(), "south", one));
        assertBadDefinition(() -> start(routing))
                .hasMessageContainingAll("route south", "could not be verified", "two connections");
    }

    /** A replica does not fail the startup. A call that locks in a replica gets an exception. */
    @Test
    void aRouteThatIsReadOnlyOrNotThereIsSaid() {
        PGSimpleDataSource replica = north.dataSource();
        replica.setReadOnly(true);
        PGSimpleDataSource away = north.dataSource();
        away.setPortNumbers(new int[] {1});
        Map<String, DataSource> all = new LinkedHashMap<>();
        all.put("north", north.dataSource());
        all.put("replica", replica);
        all.put("away", away);
        var context = start(routing(all.get("north"), all));
        assertThat(context.getBean(Accounts.class)).isNotNull();
        assertThat(said)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(line -> assertThat(line).contains("route replica", "read-only"))
                .anySatisfy(line -> assertThat(line).contains("route away", "cannot be reached"));
    }

    @Test
    void withoutADefaultTheFirstRouteStandsForIt() {
        var context = start(routing(null, Map.of("north", north.dataSource())));
        assertThat(context.getBean(Accounts.class)).isNotNull();
    }

    @Test
    void routesHaveNames() {
        DataSource northern = north.dataSource();
        DataSource southern = south.dataSource();
        Map<String, DataSource> all = new LinkedHashMap<>();
        all.put("south", southern);
        all.put("north", northern);
        ByTenant routing = routing(northern, all);
        assertThat(Routes.of(routing)).containsExactly(entry("north", northern), entry("south", southern));
        assertThat(Routes.of(northern)).isEmpty();
        TENANT.set("south");
        assertThat(Routes.current(routing)).isSameAs(southern);
        TENANT.remove();
        assertThat(Routes.current(routing)).isSameAs(northern);
        assertThat(Routes.current(southern)).isSameAs(southern);
    }
}
