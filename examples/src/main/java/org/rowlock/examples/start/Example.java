package org.rowlock.examples.start;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** A program to copy, with tables to work on and many threads that use it at once. */
interface Example {
    /** The title, in one line. */
    String title();

    /** The statements that make its tables. */
    List<String> tables();

    /** How many threads use it at once. */
    default int threads() {
        return Crew.THREADS;
    }

    /** The round trip of an added network to the database; zero for none. */
    default Duration roundTrip() {
        return Duration.ZERO;
    }

    /**
     * Runs it.
     *
     * @param dataSource has a connection for each of its {@link #threads}
     * @return a description of the result, in lines
     * @throws IllegalStateException if the result is wrong
     */
    List<String> run(DataSource dataSource) throws SQLException;
}
