package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;

/** An entity with a joined table for each of its classes. */
@Entity
@Inheritance(strategy = InheritanceType.JOINED)
public class Vehicle {
    @Id
    public long id;

    public String colour;

    @Version
    public int version;

    protected Vehicle() {}

    public Vehicle(long id, String colour) {
        this.id = id;
        this.colour = colour;
    }
}
