package org.rowlock.examples.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
class Account {
    @Id
    private long id;

    private long balance;

    protected Account() {}

    long balance() {
        return balance;
    }

    void add(long amount) {
        balance += amount;
    }
}
