package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SecondaryTable;

/** An entity with an eager association and a second table. */
@Entity
@SecondaryTable(name = "invoice_text")
public class Invoice {
    @Id
    public long id;

    @ManyToOne
    public Client client;

    public String state;

    @Column(table = "invoice_text")
    public String remark;

    protected Invoice() {}

    public Invoice(long id, Client client, String state, String remark) {
        this.id = id;
        this.client = client;
        this.state = state;
        this.remark = remark;
    }
}
