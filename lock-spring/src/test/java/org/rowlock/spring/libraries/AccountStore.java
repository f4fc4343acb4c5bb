package org.rowlock.spring.libraries;

import java.util.function.IntSupplier;
import java.util.function.LongUnaryOperator;

/**
 * The access of a service to the table account, written with one library.
 *
 * @param balance returns the balance of an account
 * @param backend returns the pid of the server process that runs the library's statements
 */
record AccountStore(LongUnaryOperator balance, Write write, IntSupplier backend) {
    /** Writes the balance of an account. */
    interface Write {
        void set(long id, long balance);
    }
}
