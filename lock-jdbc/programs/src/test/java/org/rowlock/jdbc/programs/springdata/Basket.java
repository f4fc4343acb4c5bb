package org.rowlock.jdbc.programs.springdata;

import java.util.Set;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;

/** An aggregate of two tables. */
@Table("basket")
public record Basket(@Id Long id, String owner, @Version Integer version, Set<Item> items) {
    record Item(String name, int quantity) {}

    Basket with(String newOwner) {
        return new Basket(id, newOwner, version, items);
    }
}
