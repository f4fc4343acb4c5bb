package org.rowlock.examples.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

@Entity
class Ticket {
    @Id
    private long id;

    @Version
    private long version;

    private long sold;

    protected Ticket() {}

    void sell() {
        sold++;
    }
}
