package org.rowlock.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the table account. */
@Entity
@Table(name = "account")
class Account {
    @Id
    Long id;

    long balance;
}
