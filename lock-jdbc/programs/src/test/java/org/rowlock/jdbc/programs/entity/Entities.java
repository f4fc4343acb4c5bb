package org.rowlock.jdbc.programs.entity;

import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;
import org.hibernate.annotations.SQLRestriction;

/** The entities of the programs with JPA: every form of id, version, inheritance and association. */
public final class Entities {
    private Entities() {}

    /** An entity with a version and an association. */
    @Entity(name = "Account")
    public static class Account {
        @Id
        public long id;

        public long balance;

        @Version
        public int version;

        @ManyToOne(fetch = FetchType.LAZY)
        public Branch branch;

        protected Account() {}

        public Account(long id, long balance, Branch branch) {
            this.id = id;
            this.balance = balance;
            this.branch = branch;
        }
    }

    /** An entity with an optimistic lock but no version column, and with collections. */
    @Entity(name = "Branch")
    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.ALL)
    public static class Branch {
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

    /** An entity whose ids come from a table. */
    @Entity(name = "Client")
    public static class Client {
        @Id
        @GeneratedValue(strategy = GenerationType.TABLE)
        public Long id;

        public String name;

        protected Client() {}

        public Client(String name) {
            this.name = name;
        }
    }

    /** An entity with an embedded id. */
    @Entity(name = "OrderLine")
    public static class OrderLine {
        @EmbeddedId
        public OrderLineId id;

        public int quantity;

        protected OrderLine() {}

        public OrderLine(OrderLineId id, int quantity) {
            this.id = id;
            this.quantity = quantity;
        }
    }

    @Embeddable
    public record OrderLineId(long orderId, int line) implements Serializable {}

    /** An entity with an id of two columns, one of them a reserved word. */
    @Entity(name = "Seat")
    @IdClass(SeatId.class)
    public static class Seat {
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

    public record SeatId(String row, int number) implements Serializable {}

    /** An entity with a UUID, a time as its version, and a quoted name without a schema. */
    @Entity(name = "Document")
    @Table(name = "`Document`")
    public static class Document {
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

    /** An entity with one table for all its classes. */
    @Entity(name = "Payment")
    public abstract static class Payment {
        @Id
        public long id;

        public long amount;

        @Version
        public long version;

        protected Payment() {}

        protected Payment(long id, long amount) {
            this.id = id;
            this.amount = amount;
        }
    }

    @Entity(name = "Card")
    public static class Card extends Payment {
        public String number;

        protected Card() {}

        public Card(long id, long amount, String number) {
            super(id, amount);
            this.number = number;
        }
    }

    @Entity(name = "Cash")
    public static class Cash extends Payment {
        public String till;

        protected Cash() {}

        public Cash(long id, long amount, String till) {
            super(id, amount);
            this.till = till;
        }
    }

    /** An entity with a joined table for each of its classes. */
    @Entity(name = "Vehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    public static class Vehicle {
        @Id
        public long id;

        public String colour;

        @Version
        public int version;

        protected Vehicle() {}

        public Vehicle(long id, String colour) {
            this.id = id;
            this.colour = colour;
        }
    }

    @Entity(name = "Truck")
    public static class Truck extends Vehicle {
        public int load;

        protected Truck() {}

        public Truck(long id, String colour, int load) {
            super(id, colour);
            this.load = load;
        }
    }

    /** An entity with an eager association and a second table. */
    @Entity(name = "Invoice")
    @SecondaryTable(name = "invoice_text")
    public static class Invoice {
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

    /** An entity whose changed columns guard the update, and some of whose rows are never read. */
    @Entity(name = "Ticket")
    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @SQLRestriction("state <> 'void'")
    public static class Ticket {
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
}
