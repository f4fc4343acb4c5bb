package org.rowlock.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.spring.CountableLocks;
import org.rowlock.spring.EnableRowLocks;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockTests;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.annotation.Transactional;

/** Checks {@code @RowLock} without further configuration, with Spring Boot's JPA, repositories and naming strategy. */
class ShopTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table order_line (id bigint primary key, shipped_amount int not null)",
            "insert into order_line values (1, 0)");

    /** The application, which ships ordered pieces, one at a time. */
    @EnableAutoConfiguration
    @EnableRowLocks
    @Import(CountableLocks.class)
    static class Shop {
        @Autowired
        OrderLines lines;

        @Transactional
        public void ship(@RowLock(entity = OrderLine.class) long lineId, Runnable between) {
            OrderLine line = lines.findById(lineId).orElseThrow();
            int amount = line.shippedAmount;
            between.run();
            line.shippedAmount = amount + 1;
        }
    }

    @Test
    void locksInTheTableThatBootsNamingStrategyGives() throws Exception {
        LockKey line = LockKey.row("order_line", 1);
        start().ship(
                        1,
                        () -> assertThat(RowLockTests.isFree(database.dataSource(), line))
                                .isFalse());
        assertThat(database.query("select shipped_amount from order_line")).isEqualTo("1");
    }

    @Test
    void noShipmentIsLost() throws Exception {
        Shop shop = start();
        Threads.run(6, number -> {
            for (int call = 0; call < 20; call++) {
                shop.ship(1, () -> {});
            }
        });
        assertThat(database.query("select shipped_amount from order_line")).isEqualTo("120");
    }

    private Shop start() {
        return database.closing(new SpringApplicationBuilder(Shop.class)
                        .initializers(context -> ((GenericApplicationContext) context)
                                .registerBean("dataSource", DataSource.class, database::dataSource))
                        .run())
                .getBean(Shop.class);
    }
}
