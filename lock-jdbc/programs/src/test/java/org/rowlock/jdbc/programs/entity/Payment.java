package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** An entity with one table for all its classes. */
@Entity
public abstract class Payment {
    @Id
    public long id;

    public long amount;

    @Version
    public long version;

    protected Payment() {}

    protected Payment(long id, long amount) {
        this.id = id;
        this.amount = amount;
    }
}
