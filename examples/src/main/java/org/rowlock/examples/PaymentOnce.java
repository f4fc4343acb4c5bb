package org.rowlock.examples;

import static org.rowlock.LockKey.name;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.SQLException;
import java.util.UUID;
import org.rowlock.RowLocks;

/** Runs a request only once, even if the client repeats the request. The request has an idempotency key. */
public final class PaymentOnce {
    private final RowLocks locks;

    /** Creates payments that lock with the given row locks. */
    public PaymentOnce(RowLocks locks) {
        this.locks = locks;
    }

    // snippet: once
    /** Pays, or returns the earlier answer to the same request. Requests with the same key wait for each other. */
    public String pay(UUID key, long amount) throws SQLException {
        return locks.lock(forUpdate(name("payment " + key)))
                .read("select answer from payment where key = ?", String.class, key)
                .inTransaction(tx -> {
                    if (!tx.rows().isEmpty()) {
                        return tx.row();
                    }
                    String answer = "paid " + amount;
                    tx.atCommit("insert into payment (key, amount, answer) values (?, ?, ?)", key, amount, answer);
                    return answer;
                });
    }
    // end
}
