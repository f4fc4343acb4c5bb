package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** An entity whose ids come from a table. */
@Entity
public class Client {
    @Id
    @GeneratedValue(strategy = GenerationType.TABLE)
    public Long id;

    public String name;

    protected Client() {}

    public Client(String name) {
        this.name = name;
    }
}
