package org.rowlock.examples.spring;

import org.springframework.transaction.annotation.Transactional;

class MyBatisBefore implements Deposits {
    private final AccountMapper accounts;

    MyBatisBefore(AccountMapper accounts) {
        this.accounts = accounts;
    }

    // snippet: before
    @Override
    @Transactional
    public void deposit(long id, long amount) {
        long balance = accounts.balanceForUpdate(id);
        accounts.write(id, balance + amount);
    }
    // end
}
