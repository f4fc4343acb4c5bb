package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;

@Entity
public class Card extends Payment {
    public String number;

    protected Card() {}

    public Card(long id, long amount, String number) {
        super(id, amount);
        this.number = number;
    }
}
