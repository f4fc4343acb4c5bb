package org.rowlock.jdbc.programs;

import jakarta.persistence.LockModeType;
import jakarta.persistence.LockTimeoutException;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PessimisticLockException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.query.Query;
import org.rowlock.jdbc.programs.entity.Entities;
import org.rowlock.jdbc.programs.entity.Entities.Account;
import org.rowlock.jdbc.programs.entity.Entities.Branch;
import org.rowlock.jdbc.programs.entity.Entities.Card;
import org.rowlock.jdbc.programs.entity.Entities.Cash;
import org.rowlock.jdbc.programs.entity.Entities.Client;
import org.rowlock.jdbc.programs.entity.Entities.Document;
import org.rowlock.jdbc.programs.entity.Entities.Invoice;
import org.rowlock.jdbc.programs.entity.Entities.OrderLine;
import org.rowlock.jdbc.programs.entity.Entities.OrderLineId;
import org.rowlock.jdbc.programs.entity.Entities.Payment;
import org.rowlock.jdbc.programs.entity.Entities.Seat;
import org.rowlock.jdbc.programs.entity.Entities.SeatId;
import org.rowlock.jdbc.programs.entity.Entities.Ticket;
import org.rowlock.jdbc.programs.entity.Entities.Truck;
import org.rowlock.jdbc.programs.entity.Entities.Vehicle;

/** Hibernate with every lock mode, versions, composite ids, inheritance and associations. */
final class HibernateProgram implements Program {
    private static final UUID DOCUMENT = UUID.fromString("6ecd8c99-4036-403d-bf84-cf8400f67836");
    private static final String TIMEOUT = "jakarta.persistence.lock.timeout";

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        Configuration configuration = FlushProgram.mapping(Entities.class);
        configuration.getProperties().put("hibernate.connection.datasource", dataSource);
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        configuration.setProperty(
                "hibernate.connection.handling_mode", "DELAYED_ACQUISITION_AND_RELEASE_AFTER_TRANSACTION");
        List<String> out = new ArrayList<>();
        try (SessionFactory sessions = configuration.buildSessionFactory()) {
            fill(sessions);
            lock(sessions, out);
            query(sessions, out);
            write(sessions, out);
            fail(sessions, out);
            hot(sessions, out);
        }
        return out;
    }

    private static void fill(SessionFactory sessions) {
        sessions.inTransaction(session -> {
            Branch branch = new Branch("north", 3);
            session.persist(branch);
            for (long id = 1; id <= 3; id++) {
                session.persist(new Account(id, 100 * id, branch));
            }
            Client client = new Client("Ann");
            session.persist(client);
            session.persist(new OrderLine(new OrderLineId(7, 1), 5));
            session.persist(new OrderLine(new OrderLineId(7, 2), 6));
            session.persist(new Seat("A", 12, false));
            session.persist(new Seat("A", 13, false));
            session.persist(new Document(DOCUMENT, "draft"));
            session.persist(new Card(1, 10, "1234"));
            session.persist(new Cash(2, 20, "till"));
            session.persist(new Truck(1, "red", 7));
            session.persist(new Invoice(1, client, "open", "first"));
            session.persist(new Ticket(1, "free", "nobody"));
        });
    }

    private static void lock(SessionFactory sessions, List<String> out) {
        for (LockModeType mode : List.of(
                LockModeType.PESSIMISTIC_WRITE,
                LockModeType.PESSIMISTIC_READ,
                LockModeType.PESSIMISTIC_FORCE_INCREMENT,
                LockModeType.OPTIMISTIC,
                LockModeType.OPTIMISTIC_FORCE_INCREMENT)) {
            sessions.inTransaction(session -> out.add(mode + " " + session.find(Account.class, 1L, mode).balance));
            sessions.inTransaction(session -> {
                Account account = session.find(Account.class, 1L);
                session.lock(account, mode);
                session.refresh(account);
                out.add("lock " + mode + " " + account.balance);
            });
        }
        LockModeType write = LockModeType.PESSIMISTIC_WRITE;
        sessions.inTransaction(session -> {
            Account account = session.find(Account.class, 2L);
            session.refresh(account, write);
            out.add("refresh " + account.balance);
        });
        for (Object timeout : List.of(0, -2, 5000)) {
            sessions.inTransaction(session -> out.add("timeout " + timeout + " "
                    + session.find(Account.class, 1L, write, Map.of(TIMEOUT, timeout)).balance));
        }
        sessions.inTransaction(session -> {
            out.add("branch "
                    + session.find(Branch.class, "north", write).accounts.size());
            out.add("line " + session.find(OrderLine.class, new OrderLineId(7, 1), write).quantity);
            out.add("seat " + session.find(Seat.class, new SeatId("A", 12), write).taken);
            out.add("document " + session.find(Document.class, DOCUMENT, write).state);
            out.add("payment " + session.find(Payment.class, 1L, write).amount);
            out.add("card " + session.find(Card.class, 1L, write).number);
            out.add("ticket " + session.find(Ticket.class, 1L, write).holder);
        });
        sessions.inTransaction(session -> out.add("invoice " + session.find(Invoice.class, 1L, write).state));
        sessions.inTransaction(session -> out.add("truck " + session.find(Truck.class, 1L, write).load));
        sessions.inTransaction(session -> out.add("vehicle " + session.find(Vehicle.class, 1L, write).colour));
    }

    /** A query that locks its rows, with the values of its parameters in their order. */
    private static <T> Query<T> locking(Session session, Class<T> type, String hql, Object... values) {
        Query<T> query = session.createQuery(hql, type).setLockMode(LockModeType.PESSIMISTIC_WRITE);
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof List<?> list) {
                query.setParameterList(i + 1, list);
            } else {
                query.setParameter(i + 1, values[i]);
            }
        }
        return query;
    }

    private static int accounts(Session session, String hql, Object... values) {
        return locking(session, Account.class, hql, values).getResultList().size();
    }

    private static void query(SessionFactory sessions, List<String> out) {
        LockModeType write = LockModeType.PESSIMISTIC_WRITE;
        String byId = "from Account a where a.id = ?1";
        sessions.inTransaction(session -> {
            out.add("by id " + locking(session, Account.class, byId, 1L).getSingleResult().balance);
            out.add("by condition " + accounts(session, "from Account a where a.balance > ?1", 150L));
            out.add("in list " + accounts(session, "from Account a where a.id in (?1) order by a.id", List.of(1L, 2L)));
            out.add("in list of one " + accounts(session, "from Account a where a.id in (?1)", List.of(3L)));
            Query<Account> one = locking(session, Account.class, byId, 1L).setMaxResults(1);
            out.add("limit " + one.getResultList().size());
            out.add("and " + accounts(session, byId + " and a.balance >= ?2", 1L, 1L));
            Query<Seat> literal = locking(session, Seat.class, "from Seat s where s.row = 'A' and s.number = 12");
            out.add("literal " + literal.getResultList().size());
            OrderLineId id = new OrderLineId(7, 2);
            var line = locking(session, OrderLine.class, "from OrderLine l where l.id = ?1", id);
            out.add("composite " + line.getSingleResult().quantity);
        });
        sessions.inTransaction(session ->
                out.add("fetch join " + accounts(session, "from Account a join fetch a.branch where a.id = ?1", 1L)));
        sessions.inTransaction(session ->
                out.add("association " + accounts(session, "from Account a where a.branch.name = ?1", "north")));
        sessions.inTransaction(session -> out.add("union "
                + session.createNativeQuery("select * from account where id = ? for update", Account.class)
                        .setParameter(1, 1L)
                        .getResultList()
                        .size()));
        sessions.inTransaction(session -> {
            var criteria = session.getCriteriaBuilder().createQuery(Account.class);
            var root = criteria.from(Account.class);
            criteria.select(root).where(session.getCriteriaBuilder().equal(root.get("id"), 2L));
            out.add("criteria "
                    + session.createQuery(criteria).setLockMode(write).getSingleResult().balance);
        });
        sessions.inTransaction(session -> out.add("several ids "
                + session.byMultipleIds(Account.class)
                        .with(org.hibernate.LockOptions.UPGRADE)
                        .multiLoad(1L, 2L)
                        .size()));
    }

    private static void bulk(SessionFactory sessions, List<String> out, String hql, Object... values) {
        sessions.inTransaction(session -> {
            var mutation = session.createMutationQuery(hql);
            for (int i = 0; i < values.length; i++) {
                mutation.setParameter(i + 1, values[i]);
            }
            out.add(hql + " " + mutation.executeUpdate());
        });
    }

    private static void write(SessionFactory sessions, List<String> out) {
        sessions.inTransaction(session -> {
            session.find(Account.class, 1L).balance += 11;
            session.find(OrderLine.class, new OrderLineId(7, 1)).quantity++;
            session.find(Seat.class, new SeatId("A", 12)).taken = true;
            session.find(Document.class, DOCUMENT).state = "final";
            session.find(Payment.class, 2L).amount += 5;
            session.find(Truck.class, 1L).load = 8;
            session.find(Vehicle.class, 1L).colour = "blue";
            session.find(Invoice.class, 1L).state = "paid";
            session.find(Ticket.class, 1L).holder = "Bob";
            session.find(Branch.class, "north").rating = 4;
        });
        bulk(sessions, out, "update Account a set a.balance = a.balance + ?1 where a.id = ?2", 5L, 1L);
        bulk(sessions, out, "update versioned Account a set a.balance = 0 where a.balance > ?1", 1_000L);
        bulk(sessions, out, "update Seat s set s.taken = false");
        bulk(sessions, out, "update Truck t set t.load = 9 where t.colour = 'blue'");
        bulk(sessions, out, "delete from OrderLine l where l.quantity > 100");
        sessions.inTransaction(session -> {
            session.remove(session.find(Account.class, 3L));
            session.remove(session.find(OrderLine.class, new OrderLineId(7, 2)));
            session.remove(session.find(Seat.class, new SeatId("A", 13)));
            session.remove(session.find(Payment.class, 1L));
            session.remove(session.find(Truck.class, 1L));
            session.remove(session.find(Ticket.class, 1L));
        });
        sessions.inTransaction(session -> {
            Branch branch = session.find(Branch.class, "north");
            branch.notes.add("first");
            branch.notes.add("second");
        });
        sessions.inTransaction(session -> {
            Branch branch = session.find(Branch.class, "north");
            branch.notes.set(0, "changed");
            branch.notes.remove(1);
        });
        sessions.inTransaction(
                session -> session.find(Branch.class, "north").notes.clear());
        sessions.inTransaction(session -> {
            for (Account account : session.createQuery("from Account a order by a.id", Account.class)
                    .getResultList()) {
                out.add("account " + account.id + " " + account.balance + " v" + account.version);
            }
        });
        try (var stateless = sessions.openStatelessSession()) {
            var transaction = stateless.beginTransaction();
            Account account = (Account)
                    stateless.get(Account.class.getName(), (Object) 2L, org.hibernate.LockMode.PESSIMISTIC_WRITE);
            account.balance += 1;
            stateless.update(account);
            transaction.commit();
            out.add("stateless " + account.balance);
        }
    }

    private static void fail(SessionFactory sessions, List<String> out) throws Exception {
        try (Session first = sessions.openSession()) {
            first.beginTransaction();
            first.find(Account.class, 1L, LockModeType.PESSIMISTIC_WRITE).balance += 100;
            out.add("beside it, without a wait: "
                    + Concurrently.outcome(
                            () -> sessions.inTransaction(session -> session.find(
                                    Account.class, 1L, LockModeType.PESSIMISTIC_WRITE, Map.of(TIMEOUT, 0))),
                            PessimisticLockException.class,
                            LockTimeoutException.class));
            out.add("beside it, skipping: "
                    + Concurrently.outcome(() -> sessions.inTransaction(session -> out.add("skipped "
                            + session.createQuery("from Account a where a.id = 1", Account.class)
                                    .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                                    .setHint(TIMEOUT, -2)
                                    .getResultList()))));
            first.getTransaction().rollback();
        }
        try (Session first = sessions.openSession()) {
            first.beginTransaction();
            Account stale = first.find(Account.class, 1L);
            sessions.inTransaction(session -> session.find(Account.class, 1L).balance += 1);
            stale.balance += 1000;
            out.add("stale "
                    + Concurrently.outcome(() -> first.getTransaction().commit(), OptimisticLockException.class));
        }
    }

    /** Several threads, one account: pessimistic and optimistic writers. */
    private static void hot(SessionFactory sessions, List<String> out) throws Exception {
        Concurrently.run(
                8,
                25,
                () -> sessions.inTransaction(
                        session -> session.find(Account.class, 2L, LockModeType.PESSIMISTIC_WRITE).balance += 1));
        Concurrently.run(4, 10, () -> {
            while (!Concurrently.succeeds(
                    () -> sessions.inTransaction(session -> session.find(Account.class, 2L).balance += 1),
                    OptimisticLockException.class)) {
                Thread.onSpinWait();
            }
        });
        sessions.inTransaction(session -> {
            Account account = session.find(Account.class, 2L);
            out.add("hot " + account.balance + " v" + account.version);
        });
    }
}
