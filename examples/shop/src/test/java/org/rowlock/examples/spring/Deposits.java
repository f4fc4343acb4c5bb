package org.rowlock.examples.spring;

/** Reads a balance under a lock, adds to it in Java, writes it. */
interface Deposits {
    void deposit(long id, long amount);
}
