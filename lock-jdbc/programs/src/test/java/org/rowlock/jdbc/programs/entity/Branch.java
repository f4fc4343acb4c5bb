package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderColumn;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;

/** An entity with an optimistic lock but no version column, and with collections. */
@Entity
@DynamicUpdate
@OptimisticLocking(type = OptimisticLockType.ALL)
public class Branch {
    @Id
    public String name;

    public int rating;

    @OneToMany(mappedBy = "branch")
    public List<Account> accounts = new ArrayList<>();

    @ElementCollection
    @OrderColumn
    public List<String> notes = new ArrayList<>();

    protected Branch() {}

    public Branch(String name, int rating) {
        this.name = name;
        this.rating = rating;
    }
}
