package org.rowlock.examples.spring;

import org.rowlock.spring.RowLock;
import org.springframework.transaction.annotation.Transactional;

class MyBatisAfter implements Deposits {
    private final AccountMapper accounts;

    MyBatisAfter(AccountMapper accounts) {
        this.accounts = accounts;
    }

    // snippet: after
    @Override
    @Transactional
    public void deposit(@RowLock("account") long id, long amount) {
        long balance = accounts.balance(id);
        accounts.write(id, balance + amount);
    }
    // end
}
