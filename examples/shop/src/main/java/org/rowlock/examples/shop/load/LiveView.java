package org.rowlock.examples.shop.load;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Reads the present state of the shop from its actuator. */
final class LiveView {
    private final ShopClient shop;

    LiveView(ShopClient shop) {
        this.shop = shop;
    }

    /** Returns the lock timers of {@code /actuator/metrics}. */
    String metrics() throws IOException, InterruptedException {
        return "rowlock.acquire " + timer("rowlock.acquire") + "; rowlock.hold " + timer("rowlock.hold")
                + "; rowlock.admission " + timer("rowlock.admission");
    }

    private String timer(String name) throws IOException, InterruptedException {
        ShopClient.Reply reply = shop.get("/actuator/metrics/" + name);
        if (!reply.isOk()) {
            return "none yet"; // a meter exists from its first use on
        }
        Map<String, Double> values = new TreeMap<>();
        for (JsonNode each : reply.json().get("measurements")) {
            values.put(each.get("statistic").asString(), each.get("value").asDouble());
        }
        double count = values.getOrDefault("COUNT", 0.0);
        double total = values.getOrDefault("TOTAL_TIME", 0.0);
        return String.format(
                Locale.ROOT,
                "%,.0f times, mean %.1f ms, max %.1f ms",
                count,
                count == 0 ? 0 : 1_000 * total / count,
                1_000 * values.getOrDefault("MAX", 0.0));
    }

    /** Returns a summary of {@code /actuator/rowlocks}. */
    String locks() throws IOException, InterruptedException {
        int admitted = 0;
        int waiting = 0;
        for (JsonNode thread : shop.got("/actuator/rowlocks").json().get("threads")) {
            if (thread.get("admitted").asBoolean()) {
                admitted++;
            } else {
                waiting++;
            }
        }
        return admitted + " admitted, " + waiting + " waiting in this JVM";
    }
}
