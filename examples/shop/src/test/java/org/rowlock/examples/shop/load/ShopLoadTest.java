package org.rowlock.examples.shop.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ShopLoadTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final ShopLoad load = new ShopLoad(new PrintStream(printed, true, StandardCharsets.UTF_8));

    /** On the embedded PostgreSQL, as a reader of the README starts it. */
    @Test
    void showsMetricsAndLocksAndThatTheBooksAreRight() throws Exception {
        int status = load.run("", List.of(), 8, Duration.ofSeconds(1));
        String text = printed.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text)
                .containsPattern("metrics:  rowlock\\.acquire [1-9][0-9,]* times, mean .*; rowlock\\.hold [1-9].*;"
                        + " rowlock\\.admission [1-9]")
                .containsPattern("rowlocks: [0-9]+ admitted, [0-9]+ waiting in this JVM")
                .containsPattern("\n[1-9][0-9,]* placed, ")
                .contains("The books are right");
    }

    @Test
    void saysWhereAShopIsToBeHad() throws Exception {
        assertThat(load.run("http://localhost:1", List.of(), 1, Duration.ofSeconds(1)))
                .isOne();
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("http://localhost:1", "./rowlock shop");
    }
}
