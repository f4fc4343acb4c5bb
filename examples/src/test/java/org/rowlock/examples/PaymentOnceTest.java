package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.testing.TestDatabase;

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
        ExecutorService clients = Executors.newFixedThreadPool(4);
        try {
            Callable<String> pay = () -> payments.pay(key, 5);
            for (Future<String> answer : clients.invokeAll(Collections.nCopies(8, pay))) {
                assertThat(answer.get()).isEqualTo("paid 5");
            }
        } finally {
            clients.shutdown();
        }
        assertThat(payments.pay(UUID.randomUUID(), 7)).isEqualTo("paid 7");
        assertThat(database.query("select string_agg(amount::text, ' ' order by amount) from payment"))
                .isEqualTo("5 7");
    }
}
