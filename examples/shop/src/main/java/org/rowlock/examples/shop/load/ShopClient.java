package org.rowlock.examples.shop.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.rowlock.examples.shop.StockView;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of the shop, over HTTP. Thread-safe. */
final class ShopClient {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    private final URI shop;

    /**
     * Creates a client.
     *
     * @param shop the address of the shop, such as {@code http://localhost:8080}
     */
    ShopClient(URI shop) {
        this.shop = shop;
    }

    /** The answer of the shop. */
    record Reply(int status, String body) {
        boolean isOk() {
            return status / 100 == 2;
        }

        JsonNode json() {
            return JSON.readTree(body);
        }
    }

    /** Orders a quantity per product. */
    Reply place(String customer, Map<Long, Integer> lines) throws IOException, InterruptedException {
        String order = JSON.writeValueAsString(Map.of("customer", customer, "lines", lines));
        return send(
                request("/orders").header("Content-Type", "application/json").POST(BodyPublishers.ofString(order)));
    }

    Reply ship(long order) throws IOException, InterruptedException {
        return send(request("/orders/" + order + "/ship").POST(BodyPublishers.noBody()));
    }

    Reply cancel(long order) throws IOException, InterruptedException {
        return send(request("/orders/" + order + "/cancel").POST(BodyPublishers.noBody()));
    }

    List<StockView> stock() throws IOException, InterruptedException {
        return JSON.readValue(got("/stock").body(), new TypeReference<List<StockView>>() {});
    }

    /** Reads a page. */
    Reply get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    /** Reads a page that must exist. */
    Reply got(String path) throws IOException, InterruptedException {
        Reply reply = get(path);
        if (!reply.isOk()) {
            throw new IOException("GET " + shop.resolve(path) + " answered " + reply.status() + ": " + reply.body());
        }
        return reply;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(shop.resolve(path)).timeout(TIMEOUT);
    }

    private Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        return new Reply(response.statusCode(), response.body());
    }

    @Override
    public String toString() {
        return shop.toString();
    }
}
