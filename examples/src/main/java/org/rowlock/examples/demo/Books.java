package org.rowlock.examples.demo;

import java.util.Arrays;

/**
 * What every account must hold, by the clients' own logs. A lost update, a transfer half done, or one committed without
 * its client knowing makes an account differ.
 */
final class Books {
    private final long[] expected = new long[DemoAccounts.COUNT];

    Books() {
        Arrays.fill(expected, DemoAccounts.OPENING_BALANCE);
    }

    /** Enters what clients did, and compares with what the accounts hold now, that of account 1 first. */
    MoneyCheck settle(ClientLog log, long[] actual) {
        int accountsOff = 0;
        long created = 0;
        for (int i = 0; i < expected.length; i++) {
            expected[i] += log.change(i + 1);
            if (expected[i] != actual[i]) {
                accountsOff++;
            }
            created += actual[i] - expected[i];
            // What one variant did is not held against the next.
            expected[i] = actual[i];
        }
        return new MoneyCheck(accountsOff, created);
    }
}
