package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

class StockDecrementTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table stock (product bigint primary key, quantity int not null)",
            "insert into stock values (1, 10)");

    @ParameterizedTest
    @EnumSource
    void noMoreIsTakenThanThereIs(LockStrategy strategy) throws Exception {
        StockDecrement stock = new StockDecrement(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        assertThat(Threads.query(7, client -> stock.take(1, 3)))
                .containsExactlyInAnyOrder(true, true, true, false, false, false, false);
        assertThat(database.query("select quantity from stock")).isEqualTo("1");
        if (strategy == LockStrategy.ADVISORY) {
            // With keys alone nothing looks for the row but the query.
            assertThat(stock.take(9, 1)).isFalse();
        } else {
            assertThatThrownBy(() -> stock.take(9, 1)).isInstanceOf(RowAbsentException.class);
        }
    }
}
