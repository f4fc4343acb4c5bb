package org.rowlock.examples.spring;

import static org.rowlock.RowLockMode.FOR_UPDATE;

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
    public void deposit(@RowLock(value = "account", mode = FOR_UPDATE) long id, long amount) {
        long balance = accounts.balance(id);
        accounts.write(id, balance + amount);
    }
    // end
}
