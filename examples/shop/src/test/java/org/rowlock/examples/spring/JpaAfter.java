package org.rowlock.examples.spring;

import org.rowlock.spring.RowLock;
import org.springframework.transaction.annotation.Transactional;

class JpaAfter implements Deposits {
    private final AccountRepository accounts;

    JpaAfter(AccountRepository accounts) {
        this.accounts = accounts;
    }

    // snippet: after
    @Override
    @Transactional
    public void deposit(@RowLock("account") long id, long amount) {
        accounts.findById(id).orElseThrow().add(amount);
    }
    // end
}
