package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;

/** An entity with an embedded id. */
@Entity
public class OrderLine {
    @EmbeddedId
    public OrderLineId id;

    public int quantity;

    protected OrderLine() {}

    public OrderLine(OrderLineId id, int quantity) {
        this.id = id;
        this.quantity = quantity;
    }
}
