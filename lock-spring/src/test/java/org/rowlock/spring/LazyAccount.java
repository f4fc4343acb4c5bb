package org.rowlock.spring;

import jakarta.persistence.Basic;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.annotations.DynamicUpdate;

/** An entity that {@link EnhancedEntityTest} enhances before the class is loaded. */
@Entity
@DynamicUpdate
@Table(name = "account")
class LazyAccount {
    @Id
    Long id;

    long balance;

    @Basic(fetch = FetchType.LAZY)
    String note;

    long balance() {
        return balance;
    }

    void balance(long to) {
        balance = to;
    }

    String note() {
        return note;
    }
}
