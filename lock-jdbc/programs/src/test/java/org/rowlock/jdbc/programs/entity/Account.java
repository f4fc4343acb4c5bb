package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Version;

/** An entity with a version and an association. */
@Entity
public class Account {
    @Id
    public long id;

    public long balance;

    @Version
    public int version;

    @ManyToOne(fetch = FetchType.LAZY)
    public Branch branch;

    protected Account() {}

    public Account(long id, long balance, Branch branch) {
        this.id = id;
        this.balance = balance;
        this.branch = branch;
    }
}
