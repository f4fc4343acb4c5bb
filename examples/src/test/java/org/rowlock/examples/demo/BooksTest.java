package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BooksTest {
    private final Books books = new Books();
    private final ClientLog log = new ClientLog();
    private final long[] balances = new long[DemoAccounts.COUNT];

    BooksTest() {
        Arrays.fill(balances, DemoAccounts.OPENING_BALANCE);
        log.record(new Transfer(1, 2, 50), new Receipt(30, 0));
    }

    @Test
    void whatWasMovedIsThere() {
        balances[0] -= 30;
        balances[1] += 30;

        assertThat(books.settle(log, balances).isExact()).isTrue();
    }

    @Test
    void aTransferThatIsUndoneIsFoundAlthoughTheSumIsRight() {
        assertThat(books.settle(log, balances)).isEqualTo(new MoneyCheck(2, 0));
    }

    @Test
    void aTransferHalfDoneIsMoneyCreated() {
        balances[1] += 30;

        assertThat(books.settle(log, balances)).isEqualTo(new MoneyCheck(1, 30));
    }

    @Test
    void whatOneVariantLostIsNotHeldAgainstTheNext() {
        books.settle(log, balances);

        assertThat(books.settle(new ClientLog(), balances).isExact()).isTrue();
    }
}
