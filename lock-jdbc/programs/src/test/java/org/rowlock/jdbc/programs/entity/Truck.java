package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;

@Entity
public class Truck extends Vehicle {
    public int load;

    protected Truck() {}

    public Truck(long id, String colour, int load) {
        super(id, colour);
        this.load = load;
    }
}
