package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;

@Entity
public class Cash extends Payment {
    public String till;

    protected Cash() {}

    public Cash(long id, long amount, String till) {
        super(id, amount);
        this.till = till;
    }
}
