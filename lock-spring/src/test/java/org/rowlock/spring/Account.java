package org.rowlock.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the table account. */
@Entity
@Table(name = "account")
public class Account {
    @Id
    public Long id;

    public long balance;
}
