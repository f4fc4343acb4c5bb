package org.rowlock.examples.shop.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("long")
class RollingChangeTest {
    @RegisterExtension
    final ShopFixture shops = new ShopFixture();

    @Test
    void nothingIsLostWhileInstancesChangeFromRowToAdvisoryAndBack() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        int status = new RollingChange(out, shops.properties()).run(12, 80);
        String text = printed.toString(StandardCharsets.UTF_8);
        assertThat(status).as(text).isZero();
        assertThat(text.lines().map(line -> line.replaceAll(":? [0-9].*", "").strip()))
                .containsSubsequence(
                        "[row, row, both]",
                        "[row, both, both]",
                        "All instances: BOTH",
                        "[both, both, advisory]",
                        "[both, advisory, advisory]",
                        "All instances: ADVISORY",
                        "[advisory, advisory, both]",
                        "[advisory, both, both]",
                        "All instances: BOTH",
                        "[both, both, row]",
                        "[both, row, row]",
                        "All instances: ROW");
        assertThat(text).contains("Nothing was lost");
    }
}
