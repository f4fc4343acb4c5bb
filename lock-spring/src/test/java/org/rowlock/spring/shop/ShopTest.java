package org.rowlock.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.spring.RowLockTests;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Checks {@code @RowLock} without further configuration, with Spring Boot's JPA, repositories and naming strategy. */
class ShopTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table order_line (id bigint primary key, shipped_amount int not null)",
            "insert into order_line values (1, 0)");

    @Test
    void locksInTheTableThatBootsNamingStrategyGives() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(Shop.Shipping.class)
                    .ship(
                            1,
                            () -> assertThat(RowLockTests.isFree(database.dataSource(), LockKey.row("order_line", 1)))
                                    .isFalse());
        }
        assertThat(database.query("select shipped_amount from order_line")).isEqualTo("1");
    }

    @Test
    void noShipmentIsLost() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            Shop.Shipping shipping = context.getBean(Shop.Shipping.class);
            Threads.run(6, number -> {
                for (int call = 0; call < 20; call++) {
                    shipping.ship(1, () -> {});
                }
            });
        }
        assertThat(database.query("select shipped_amount from order_line")).isEqualTo("120");
    }

    private ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .properties("logging.level.root=warn", "spring.jpa.hibernate.ddl-auto=validate")
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean("dataSource", DataSource.class, database::dataSource))
                .run();
    }
}
