package org.rowlock.spring.libraries;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A row of the table account. */
@Entity
class Account {
    @Id
    long id;

    long balance;
}
