package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.UUID;

/** An entity with a UUID, a time as its version, and a quoted name without a schema. */
@Entity
@Table(name = "`Document`")
public class Document {
    @Id
    public UUID id;

    public String state;

    @Version
    public Instant changed;

    protected Document() {}

    public Document(UUID id, String state) {
        this.id = id;
        this.state = state;
    }
}
