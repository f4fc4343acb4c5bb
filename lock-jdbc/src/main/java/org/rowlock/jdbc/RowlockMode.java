package org.rowlock.jdbc;

import java.util.Locale;

/** What is done about statements that lock a row. */
public enum RowlockMode {
    /** Nothing: no statement is looked at. */
    OFF,

    /** Nothing changes. Statements are counted, with those that would have queued. */
    OBSERVE,

    /**
     * Where many transactions of this JVM want a row, all but a few wait in the JVM before they go to the server. Where
     * other JVMs want the row too, and so many over all that it pays, an advisory lock of the row goes in front of the
     * statement, in the same round trip. Its READ COMMITTED snapshot is then taken behind the wait, so it reads
     * fresher. See {@link org.rowlock.LockFront}.
     */
    QUEUE;

    /**
     * The mode of a word, in any case.
     *
     * @param word off, observe or queue
     * @return the mode
     * @throws IllegalArgumentException if there is no such mode
     */
    public static RowlockMode of(String word) {
        for (RowlockMode mode : values()) {
            if (mode.name().equalsIgnoreCase(word.trim())) {
                return mode;
            }
        }
        throw new IllegalArgumentException("There is no mode <" + word + ">; use off, observe or queue"
                + (word.trim().equalsIgnoreCase("front")
                        ? ", which sends an advisory lock in front where that pays; to have it always set"
                                + " rowlock.front=always"
                        : ""));
    }

    /** As it is written in settings. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
