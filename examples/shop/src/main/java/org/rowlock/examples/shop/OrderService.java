package org.rowlock.examples.shop;

import java.util.Set;
import org.rowlock.spring.RowLock;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Places, ships and cancels orders. Each request locks all its rows in one call before it changes anything. All
 * requests lock in the same order, so requests never deadlock with each other.
 */
@Service
class OrderService {
    private final OrderRepository orders;
    private final StockService stock;

    OrderService(OrderRepository orders, StockService stock) {
        this.orders = orders;
        this.stock = stock;
    }

    // snippet: place
    /** Locks the stock of all products in one round trip, and always in the same order. */
    @Transactional
    @RowLock(table = "stock", id = "#order.lines().keySet()")
    public long place(PlaceOrder order) {
        stock.take(order.lines());
        return orders.save(new Order(order.customer(), order.lines())).id();
    }
    // end

    // snippet: ship
    @Transactional
    public void ship(@RowLock("orders") long orderId) {
        find(orderId).become(Order.State.SHIPPED);
    }
    // end

    /**
     * Returns the products of an order. The caller can read the products before it locks, because no request changes
     * the products of an order.
     */
    public Set<Long> products(long orderId) {
        return orders.products(orderId);
    }

    // snippet: cancel
    @Transactional
    public void cancel(@RowLock("orders") long orderId, @RowLock("stock") Set<Long> products) {
        Order order = find(orderId);
        order.become(Order.State.CANCELLED);
        stock.putBack(order.lines());
    }
    // end

    private Order find(long orderId) {
        return orders.findById(orderId).orElseThrow(() -> new NotFoundException("There is no order " + orderId + "."));
    }
}
