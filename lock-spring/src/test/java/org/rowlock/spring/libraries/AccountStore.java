package org.rowlock.spring.libraries;

/** The access of a service to the table account, written with one library. */
interface AccountStore {
    long balance(long id);

    void setBalance(long id, long balance);

    /** Returns the pid of the server process that runs the library's statements. */
    int backend();
}
