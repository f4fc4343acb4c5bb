package org.rowlock.spring.libraries;

/** What a service does with the table account, in the words of one library. */
interface AccountStore {
    long balance(long id);

    void setBalance(long id, long balance);

    /** The server process that runs the library's statements. */
    int backend();
}
