package org.rowlock.doctor;

/**
 * The answer in a word.
 *
 * @param kind which
 * @param text it in a sentence or two, with the figures
 */
record Verdict(Kind kind, String text) {
    /** The words. */
    enum Kind {
        /** Row locks cost so much that changing them shows. */
        HURT,
        /** They can be seen, but something else holds the server up. */
        FELT,
        /** Nothing should change. */
        NONE,
        /** A standby, where there are no row locks. */
        STANDBY
    }
}
