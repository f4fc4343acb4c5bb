package org.rowlock.examples.shop;

import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The service over HTTP. */
@RestController
class ShopController {
    /**
     * Reads the books: for each product, the initial, the available and the ordered quantity. One statement reads one
     * snapshot, in which the books must balance.
     */
    private static final String STOCK = """
            select s.product, s.initial, s.available, coalesce(sum(l.quantity), 0) as ordered
            from stock as s
            left join (order_line as l join orders as o on o.id = l.order_id and o.state <> 'CANCELLED')
              on l.product = s.product
            group by s.product
            order by s.product
            """;

    private final OrderService orders;
    private final JdbcClient jdbc;

    ShopController(OrderService orders, JdbcClient jdbc) {
        this.orders = orders;
        this.jdbc = jdbc;
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    Map<String, Long> place(@RequestBody PlaceOrder order) {
        return Map.of("id", orders.place(order));
    }

    @PostMapping("/orders/{id}/ship")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void ship(@PathVariable long id) {
        orders.ship(id);
    }

    @PostMapping("/orders/{id}/cancel")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void cancel(@PathVariable long id) {
        orders.cancel(id, orders.products(id));
    }

    @GetMapping("/stock")
    List<StockView> stock() {
        return jdbc.sql(STOCK)
                .query((row, number) -> new StockView(
                        row.getLong("product"), row.getInt("initial"), row.getInt("available"), row.getInt("ordered")))
                .list();
    }
}
