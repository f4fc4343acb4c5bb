package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

class MoneyTransferTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, balance bigint not null)",
            "insert into account select i, 100 from generate_series(1, 4) as i",
            "create table note (account bigint not null, text text not null)");

    private MoneyTransfer transfer;

    @BeforeEach
    void locks() {
        transfer = new MoneyTransfer(RowLocks.of(database.dataSource()));
    }

    @Test
    void concurrentTransfersLoseNothing() throws Exception {
        Threads.run(8, number -> {
            for (int i = number; i < 200; i += 8) {
                transfer.transfer(i % 4 + 1, (i * 7 + 1) % 4 + 1, i % 13);
            }
        });
        assertThat(database.query("select sum(balance) from account")).isEqualTo("400");
        assertThat(database.query("select count(*) from account where balance < 0"))
                .isEqualTo("0");
    }

    @Test
    void aBalanceThatDoesNotCoverStaysAsItIs() throws Exception {
        assertThat(transfer.transfer(1, 2, 101)).isFalse();
        assertThat(transfer.transfer(1, 2, 100)).isTrue();
        assertThat(database.query("select string_agg(balance::text, ' ' order by id) from account"))
                .isEqualTo("0 200 100 100");
    }

    @Test
    void aPlainForUpdateHoldsTheInterestUp() throws Exception {
        Session old = database.session("old instance");
        Session session = database.session("new instance");
        old.execute("select 1 from account where id = 1 for update");
        boolean first = session.run(c -> transfer.addInterest(c, 1, 5));
        assertThat(first).isFalse();
        session.commit();
        old.commit();
        boolean second = session.run(c -> transfer.addInterest(c, 1, 5));
        session.commit();
        assertThat(second).isTrue();
        assertThat(database.query("select string_agg(text, ', ') from note")).isEqualTo("busy, interest added");
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("105");
    }

    @Test
    void depositRunsInATransactionOfItsOwn() throws Exception {
        assertThat(transfer.deposit(1, 5)).isEqualTo(105);
        assertThatThrownBy(() -> transfer.deposit(9, 5))
                .isInstanceOf(RowAbsentException.class)
                .hasMessageContaining("account[9]");
    }

    @Test
    void theLockedBalanceIsTheOneThatThePreviousHolderCommitted() throws Exception {
        Session first = database.session("first");
        Session second = database.session("second");
        first.run(c -> transfer.lockedBalance(c, 1));
        first.execute("update account set balance = 7 where id = 1");
        Step<Long> waiting = second.start(c -> transfer.lockedBalance(c, 1));
        waiting.awaitBlockedBy(first);
        first.commit();
        assertThat(waiting.get()).isEqualTo(7);
    }
}
