package org.rowlock.examples.start;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** A program to copy, with tables to work on and many threads that use it at once. */
interface Example {
    /** What it is, in a line. */
    String title();

    /** The statements that make its tables. */
    List<String> tables();

    /** How many threads use it at once. */
    default int threads() {
        return Crew.THREADS;
    }

    /** What a network between it and the database adds to a round trip; zero for none. */
    default Duration roundTrip() {
        return Duration.ZERO;
    }

    /**
     * Runs it.
     *
     * @param dataSource has a connection for each of its {@link #threads}
     * @return what happened, in lines
     * @throws IllegalStateException if what happened must never happen
     */
    List<String> run(DataSource dataSource) throws SQLException;
}
