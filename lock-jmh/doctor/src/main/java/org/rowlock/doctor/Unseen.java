package org.rowlock.doctor;

/**
 * Something that could not be looked at, so that nobody takes silence for health.
 *
 * @param what it is
 * @param why it could not be seen
 * @param remedy what makes it visible; empty where nothing does
 */
record Unseen(String what, String why, String remedy) {}
