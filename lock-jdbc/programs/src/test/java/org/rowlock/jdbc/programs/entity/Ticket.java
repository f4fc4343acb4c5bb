package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.annotations.SQLRestriction;

/** An entity whose changed columns guard the update, and some of whose rows are never read. */
@Entity
@DynamicUpdate
@OptimisticLocking(type = OptimisticLockType.DIRTY)
@SQLRestriction("state <> 'void'")
public class Ticket {
    @Id
    public long id;

    public String state;

    public String holder;

    protected Ticket() {}

    public Ticket(long id, String state, String holder) {
        this.id = id;
        this.state = state;
        this.holder = holder;
    }
}
