package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;

/** An entity with an id of two columns, one of them a reserved word. */
@Entity
@IdClass(SeatId.class)
public class Seat {
    @Id
    @Column(name = "`row`")
    public String row;

    @Id
    public int number;

    public boolean taken;

    protected Seat() {}

    public Seat(String row, int number, boolean taken) {
        this.row = row;
        this.number = number;
        this.taken = taken;
    }
}
