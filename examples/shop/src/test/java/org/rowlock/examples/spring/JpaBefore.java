package org.rowlock.examples.spring;

import org.springframework.transaction.annotation.Transactional;

class JpaBefore implements Deposits {
    private final AccountRepository accounts;

    JpaBefore(AccountRepository accounts) {
        this.accounts = accounts;
    }

    // snippet: before
    @Override
    @Transactional
    public void deposit(long id, long amount) {
        accounts.findForUpdate(id).add(amount);
    }
    // end
}
