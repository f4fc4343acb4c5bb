package org.rowlock.examples.spring;

import jakarta.persistence.EntityManager;
import java.util.concurrent.atomic.AtomicInteger;
import org.rowlock.spring.RowLock;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** From a version that fails, and is tried again, to a queue. */
class TicketSales {
    private final EntityManager entities;
    private final AtomicInteger tries = new AtomicInteger();

    TicketSales(EntityManager entities) {
        this.entities = entities;
    }

    /** Every transaction that meets another at the row is done in vain, and once more. */
    @Retryable(includes = OptimisticLockingFailureException.class, maxRetries = Long.MAX_VALUE, delay = 1, jitter = 1)
    @Transactional
    public void sellAgain(long id, Runnable meanwhile) {
        sell(id, meanwhile);
    }

    /** Each waits for its turn, and is done once. The version stays: it catches writers that take no lock. */
    @Transactional
    public void sellInTurn(@RowLock("ticket") long id, Runnable meanwhile) {
        sell(id, meanwhile);
    }

    private void sell(long id, Runnable meanwhile) {
        tries.incrementAndGet();
        Ticket ticket = entities.find(Ticket.class, id);
        meanwhile.run();
        ticket.sell();
    }

    /** How often it was tried since the last call. */
    int tries() {
        return tries.getAndSet(0);
    }
}
