package org.rowlock.examples.shop.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.examples.shop.StockView;

class ShopBooksTest {
    private final List<StockView> before = List.of(new StockView(1, 10, 8, 2), new StockView(2, 10, 10, 0));
    private final Ledger ledger = new Ledger();

    private List<String> check(StockView... after) {
        return ShopBooks.check(before, List.of(after), ledger);
    }

    @Test
    void booksThatBalanceAreRight() {
        ledger.placed(Map.of(1L, 3, 2L, 1));
        ledger.cancelled(Map.of(2L, 1));
        assertThat(check(new StockView(1, 10, 5, 5), new StockView(2, 10, 10, 0)))
                .isEmpty();
    }

    @Test
    void aLostUpdateShows() {
        ledger.placed(Map.of(1L, 3));
        assertThat(check(new StockView(1, 10, 8, 5), new StockView(2, 10, 10, 0)))
                .containsExactly(
                        "Product 1: 8 available and 5 ordered do not add up to the initial 10; an update was lost.");
    }

    @Test
    void aLostOrderShows() {
        ledger.placed(Map.of(1L, 3));
        assertThat(check(new StockView(1, 10, 8, 2), new StockView(2, 10, 10, 0)))
                .containsExactly(
                        "Product 1: the shop has recorded 0 ordered since the start, but has confirmed 3 to its clients.");
    }

    @Test
    void stockBelowZeroShows() {
        ledger.placed(Map.of(1L, 9));
        assertThat(check(new StockView(1, 10, -1, 11), new StockView(2, 10, 10, 0)))
                .containsExactly("Product 1 is below zero: -1.");
    }

    @Test
    void aProductThatIsGoneAndAnUnknownOutcomeShow() {
        ledger.failed("An order has no outcome.");
        assertThat(check(new StockView(1, 10, 8, 2))).containsExactly("An order has no outcome.", "Product 2 is gone.");
    }
}
