package org.rowlock.spring.libraries;

import java.util.function.IntConsumer;
import org.rowlock.spring.RowLock;
import org.springframework.transaction.annotation.Transactional;

/** Reads a balance, computes a new balance, and writes the new balance. Without a lock, updates can be lost. */
class AccountService {
    private final AccountStore store;

    AccountService(AccountStore store) {
        this.store = store;
    }

    /** @param between receives the server process between the read and the write */
    @Transactional
    public int add(@RowLock("account") long id, long amount, IntConsumer between) {
        return readAndWrite(id, amount, between);
    }

    @Transactional
    public int addUnlocked(long id, long amount, IntConsumer between) {
        return readAndWrite(id, amount, between);
    }

    private int readAndWrite(long id, long amount, IntConsumer between) {
        int backend = store.backend().getAsInt();
        long balance = store.balance().applyAsLong(id);
        between.accept(backend);
        store.write().set(id, balance + amount);
        return backend;
    }
}
