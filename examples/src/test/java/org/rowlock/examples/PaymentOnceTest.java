package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

class PaymentOnceTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table payment (key uuid primary key, amount bigint not null, answer text not null)");

    @ParameterizedTest
    @EnumSource
    void requestsOfOneKeyThatComeTogetherPayOnce(LockStrategy strategy) throws Exception {
        PaymentOnce payments = new PaymentOnce(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        UUID key = UUID.randomUUID();
        assertThat(Threads.query(8, number -> payments.pay(key, 5))).containsOnly("paid 5");
        assertThat(payments.pay(UUID.randomUUID(), 7)).isEqualTo("paid 7");
        assertThat(database.query("select string_agg(amount::text, ' ' order by amount) from payment"))
                .isEqualTo("5 7");
    }
}
