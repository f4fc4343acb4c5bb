package org.rowlock.examples.demo;

/**
 * A wish to move money.
 *
 * @param from the number of one account
 * @param to the number of another
 * @param amount how much to move if it is there
 */
record Transfer(int from, int to, long amount) {}
