package org.rowlock.examples.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.examples.Sql;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** The programs of docs/which-key.md, and beside each the same schedule without its lock, which goes wrong. */
class WhichKeyTest {
    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 23);

    private static final String ANSWERED = "update payment set answer = answer where key = ?";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table room (id bigint primary key)",
            "insert into room values (7)",
            "create table booking (id bigint generated always as identity, room bigint, first date, last date)",
            "create table invoice (year int, number int, amount bigint)",
            "create table page_view (page text primary key, views bigint)",
            "create table secret (tenant text primary key, secret text)",
            "create table account (id bigint primary key, balance bigint)",
            "insert into account values (1, 100)",
            "create table payment (key uuid primary key, answer text)",
            "create table deposit (id uuid primary key, account bigint, amount bigint)");

    private Session alice;
    private Session bob;

    @BeforeEach
    void open() throws SQLException {
        alice = database.session("alice");
        bob = database.session("bob");
    }

    private RowLocks locks(LockStrategy strategy) {
        return RowLocks.builder(database.dataSource()).strategy(strategy).build();
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "BOTH"})
    void theSecondBookingWaitsAndSeesTheFirst(LockStrategy strategy) throws Exception {
        Bookings bookings = new Bookings(locks(strategy));

        boolean alices = alice.run(c -> bookings.book(c, 7, MONDAY, MONDAY.plusDays(3)));
        Step<Boolean> bobs = bob.start(c -> bookings.book(c, 7, MONDAY.plusDays(2), MONDAY.plusDays(4)));
        bobs.awaitBlockedBy(alice);
        alice.commit();

        assertThat(alices).isTrue();
        assertThat(bobs.get()).isFalse();
        boolean next = bob.run(c -> bookings.book(c, 7, MONDAY.plusDays(3), MONDAY.plusDays(4)));
        assertThat(next).isTrue();
    }

    @Test
    void withoutTheLockBothBook() throws Exception {
        String book = "insert into booking (room, first, last) select 7, '2026-11-23', '2026-11-26'"
                + " where not exists (select from booking where room = 7)";

        alice.execute(book);
        bob.execute(book);
        alice.commit();
        bob.commit();

        assertThat(database.query("select count(*) from booking")).isEqualTo("2");
    }

    @ParameterizedTest
    @EnumSource
    void theNextNumberIsTheOneAfterTheLastCommitted(LockStrategy strategy) throws Exception {
        InvoiceNumbers numbers = new InvoiceNumbers(locks(strategy));

        int first = alice.run(c -> numbers.add(c, 2026, 10));
        Step<Integer> second = bob.start(c -> numbers.add(c, 2026, 20));
        second.awaitBlockedBy(alice);
        alice.commit();
        assertThat(List.of(first, second.get())).containsExactly(1, 2);

        bob.rollback();
        int again = bob.run(c -> numbers.add(c, 2026, 30));
        assertThat(again).as("the number that was rolled back").isEqualTo(2);
    }

    @Test
    void withoutTheLockTwoInvoicesHaveOneNumber() throws Exception {
        String add = "insert into invoice select 2026, coalesce(max(number), 0) + 1, 10 from invoice where year = 2026";

        alice.execute(add);
        bob.execute(add);
        alice.commit();
        bob.commit();

        assertThat(database.query("select string_agg(number::text, ' ') from invoice"))
                .isEqualTo("1 1");
    }

    @ParameterizedTest
    @EnumSource
    void batchesInOppositeOrdersWaitForEachOther(LockStrategy strategy) throws Exception {
        PageViews views = new PageViews(locks(strategy));
        Map<String, Long> forwards = new TreeMap<>(Map.of("a", 1L, "b", 1L));

        alice.act(c -> views.add(c, forwards));
        Step<?> bobs = bob.startAction(c -> views.add(c, new TreeMap<>(forwards).descendingMap()));
        bobs.awaitBlockedBy(alice);
        alice.commit();
        bobs.get();
        bob.commit();

        assertThat(database.query("select string_agg(page || views, ' ' order by page) from page_view"))
                .isEqualTo("a2 b2");
    }

    @Test
    void withoutTheLockTheyDeadlock() throws Exception {
        String add = "insert into page_view values ('%s', 1) on conflict (page) do update set views = 2";

        alice.execute(String.format(add, "a"));
        bob.execute(String.format(add, "b"));
        Step<?> alices = alice.startExecute(String.format(add, "b"));
        alices.awaitBlockedBy(bob);
        Step.assertDeadlock(alices, bob.startExecute(String.format(add, "a")));
    }

    @ParameterizedTest
    @EnumSource
    void allNodesReadTheFirstRow(LockStrategy strategy) throws Exception {
        FirstRow rows = new FirstRow(locks(strategy));

        String ones = alice.run(c -> rows.secret(c, "acme", "by one"));
        Step<String> twos = bob.start(c -> rows.secret(c, "acme", "by two"));
        twos.awaitBlockedBy(alice);
        alice.commit();

        assertThat(List.of(ones, twos.get())).containsExactly("by one", "by one");
    }

    @Test
    void withoutTheLockTheSecondNodeFails() throws Exception {
        String create = "insert into secret select 'acme', 'mine' where not exists"
                + " (select from secret where tenant = 'acme')";

        alice.execute(create);
        Step<?> twos = bob.startExecute(create);
        twos.awaitBlockedBy(alice);
        alice.commit();

        assertThat(twos.state()).isEqualTo("23505");
    }

    /** With the lock see PaymentOnceTest. */
    @Test
    void withoutTheLockBothAttemptsFindNoAnswer() throws Exception {
        UUID key = UUID.randomUUID();

        int firsts = alice.run(c -> Sql.update(c, ANSWERED, key));
        int seconds = bob.run(c -> Sql.update(c, ANSWERED, key));
        assertThat(List.of(firsts, seconds))
                .as("answers found; each calls the bank")
                .containsExactly(0, 0);
        alice.run(c -> Sql.update(c, "insert into payment values (?, 'paid')", key));
        Step<?> late = bob.start(c -> Sql.update(c, "insert into payment values (?, 'paid')", key));
        late.awaitBlockedBy(alice);
        alice.commit();

        assertThat(late.state()).isEqualTo("23505");
    }

    /** The connection is lost before the server has the COMMIT, or after it has committed. */
    @ParameterizedTest
    @EnumSource
    void aDepositWhoseCommitIsLostIsMadeOnce(LockStrategy strategy) throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.dataSource())) {
            Deposits deposits = new Deposits(RowLocks.builder(proxy.through(database.dataSource()))
                    .strategy(strategy)
                    .build());
            deposits.deposit(UUID.randomUUID(), 1, 1);
            proxy.cutBefore("COMMIT");
            deposits.deposit(UUID.randomUUID(), 1, 10);
            proxy.cutAfter("COMMIT");
            deposits.deposit(UUID.randomUUID(), 1, 100);

            assertThat(proxy.cuts()).isEqualTo(2);
        }
        assertThat(database.query("select balance from account")).isEqualTo("211");
        assertThat(database.query("select count(*) from deposit")).isEqualTo("3");
    }

    @Test
    void withoutAnIdTheSecondCallDepositsAgain() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.dataSource())) {
            RowLocks locks = RowLocks.of(proxy.through(database.dataSource()));
            for (int call = 0; call < 2; call++) {
                deposit(locks, proxy, call == 0);
            }
        }
        assertThat(database.query("select balance from account")).isEqualTo("300");
    }

    private static void deposit(RowLocks locks, TcpProxy proxy, boolean lost) throws SQLException {
        try {
            locks.lock(forUpdate(row("account", 1))).useTransaction(tx -> {
                if (lost) {
                    proxy.cutAfter("COMMIT");
                }
                tx.atCommit("update account set balance = balance + 100 where id = 1");
            });
        } catch (CommitOutcomeUnknownException e) {
            assertThat(lost).isTrue();
        }
    }
}
