package org.rowlock.examples.shop;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.MapKeyColumn;
import jakarta.persistence.Table;
import java.util.HashMap;
import java.util.Map;

/** An order, with a quantity per product. */
@Entity
@Table(name = "orders")
class Order {
    enum State {
        PLACED,
        SHIPPED,
        CANCELLED
    }

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private long id;

    private String customer = "";

    @Enumerated(EnumType.STRING)
    private State state = State.PLACED;

    @ElementCollection
    @CollectionTable(name = "order_line", joinColumns = @JoinColumn(name = "order_id"))
    @MapKeyColumn(name = "product")
    @Column(name = "quantity")
    private Map<Long, Integer> lines = new HashMap<>();

    /** Creates an instance for JPA. */
    protected Order() {}

    Order(String customer, Map<Long, Integer> lines) {
        this.customer = customer;
        this.lines = new HashMap<>(lines);
    }

    long id() {
        return id;
    }

    Map<Long, Integer> lines() {
        return lines;
    }

    void become(State next) {
        if (state != State.PLACED) {
            throw new OrderRefusedException("Order " + id + " of " + customer + " is " + state + " already.");
        }
        state = next;
    }
}
