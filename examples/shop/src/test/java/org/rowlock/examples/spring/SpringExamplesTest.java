package org.rowlock.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Threads;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

/** Runs what docs/spring.md and docs/migrating.md show. */
@Tag("long")
class SpringExamplesTest {
    private static final int DEPOSITS = 25;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id bigint primary key, balance bigint not null default 0)",
            "insert into account values (1), (2), (3)",
            "create table ticket(id bigint primary key, version bigint not null, sold bigint not null)",
            "insert into ticket values (1, 0, 0)",
            "create table orders(id bigint primary key)",
            "insert into orders values (7), (8)",
            "create table order_line(order_id bigint, product bigint, primary key (order_id, product))");

    private ConfigurableApplicationContext context;

    private void start(String strategy) {
        context = database.closing(new SpringApplicationBuilder(SpringExamples.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + database.dataSource().getURL(),
                        "--spring.datasource.username=" + TestPostgres.shared().user(),
                        "--spring.datasource.password=" + TestPostgres.shared().password(),
                        "--spring.sql.init.mode=never",
                        "--spring.main.banner-mode=off",
                        "--rowlock.lock-wait=forever",
                        "--rowlock.strategy=" + strategy));
    }

    /** The first two steps of a migration, with instances of both sides of them at once. */
    @ParameterizedTest
    @ValueSource(strings = {"row", "both"})
    void depositsBeforeAndAfterTheMigrationExcludeEachOther(String strategy) throws Exception {
        start(strategy);
        List<Deposits> all = List.copyOf(context.getBeansOfType(Deposits.class).values());
        assertThat(all).hasSize(8);
        Threads.run(all.size(), number -> {
            for (int i = 0; i < DEPOSITS; i++) {
                all.get(number).deposit(1, 1);
            }
        });
        assertThat(database.query("select balance from account where id = 1"))
                .isEqualTo(String.valueOf(DEPOSITS * all.size()));
    }

    /** One sale meets another at its row: with the version alone it is done twice, in its turn once. */
    @Test
    void aQueueTriesOnceWhatAVersionTriesAgain() throws Exception {
        start("row");
        TicketSales sales = context.getBean(TicketSales.class);
        AtomicBoolean met = new AtomicBoolean();
        sales.sellAgain(1, () -> {
            if (met.compareAndSet(false, true)) {
                execute("update ticket set sold = sold + 1, version = version + 1 where id = 1");
            }
        });
        assertThat(sales.tries()).isEqualTo(2);

        CompletableFuture<?>[] second = new CompletableFuture<?>[1];
        sales.sellInTurn(1, () -> {
            second[0] = CompletableFuture.runAsync(() -> sales.sellInTurn(1, () -> {}));
            TestDatabase.await("the second sale waits in the queue or at the row")
                    .until(() -> LockAccess.of(context.getBean(RowLocks.class))
                                    .calls()
                                    .queues()
                                    .entrants()
                                    .size()
                            == 2);
        });
        second[0].get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(sales.tries()).isEqualTo(2);
        assertThat(database.query("select sold from ticket")).isEqualTo("4");
    }

    @Test
    void placementsLockWhatTheyName() {
        start("advisory");
        Placements placements = context.getBean(Placements.class);
        assertThat(placements.shipAll(List.of(8L, 7L)))
                .containsExactly("ExclusiveLock orders 7", "ExclusiveLock orders 8");
        assertThat(placements.pack(7)).containsExactly("ExclusiveLock orders 7");
        assertThat(placements.change(7, 1, 3)).containsExactly("ExclusiveLock by hash");
        assertThat(placements.remove(List.of(new Placements.LineId(7, 1)))).containsExactly("ExclusiveLock by hash");
        assertThat(placements.move(new Placements.Move(2, 1, 5)))
                .containsExactly("ExclusiveLock account 1", "ExclusiveLock account 2");
        assertThat(placements.quote(7)).containsExactly("ShareLock orders 7");
    }

    @Test
    void aRefreshedEntityIsNotStale() throws Exception {
        start("both");
        AccountRepository accounts = context.getBean(AccountRepository.class);
        Placements placements = context.getBean(Placements.class);
        Long balance = context.getBean(TransactionTemplate.class).execute(status -> {
            assertThat(accounts.findById(1L).orElseThrow().balance()).isZero();
            execute("update account set balance = balance + 5 where id = 1");
            assertThat(accounts.findById(1L).orElseThrow().balance()).isZero();
            return placements.balance(1);
        });
        assertThat(balance).isEqualTo(5);
    }

    private void execute(String sql) {
        try {
            database.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Each attempt is a call of its own, so it does not hold up whoever it waits for. */
    @Test
    void whatHasNotHadItsLockIsRunAgain() throws Exception {
        start("both");
        Retries retries = context.getBean(Retries.class);
        SimpleMeterRegistry meters = context.getBean(SimpleMeterRegistry.class);
        Session other = database.session("other");
        other.execute("select from account where id = 2 for update");
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> retries.depositAtLast(2, 7));
        TestDatabase.await()
                .until(() -> meters.find("rowlock.acquire").tag("outcome", "NOT_AVAILABLE").timers().stream()
                                .mapToLong(Timer::count)
                                .sum()
                        > 1);
        other.commit();
        TestDatabase.result(call);
        retries.deposit(2, 1);
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("8");
    }

    @Test
    void templatesLock() throws Exception {
        start("both");
        Templates templates = context.getBean(Templates.class);
        Session other = database.session("other");
        other.execute("select from account where id = 3 for update");
        assertThat(templates.addInterest(3)).isFalse();
        other.commit();
        assertThat(templates.addInterest(3)).isTrue();
        assertThat(templates.withdraw(3, 4)).isOne();
        assertThat(database.query("select balance from account where id = 3")).isEqualTo("-3");
    }
}
