package org.rowlock.examples.demo;

/**
 * How the accounts compare with the clients' logs.
 *
 * @param accountsOff how many accounts hold something else than they must
 * @param created how much money there is too much; negative if some is lost
 */
record MoneyCheck(int accountsOff, long created) {
    static final MoneyCheck EXACT = new MoneyCheck(0, 0);

    boolean isExact() {
        return accountsOff == 0 && created == 0;
    }

    MoneyCheck and(MoneyCheck other) {
        return new MoneyCheck(Math.max(accountsOff, other.accountsOff), created + other.created);
    }
}
