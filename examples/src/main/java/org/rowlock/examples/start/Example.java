package org.rowlock.examples.start;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** A program to copy, with its tables, and with many threads that use the program at once. */
interface Example {
    /** The number of threads of most examples. */
    int THREADS = 8;

    /** Returns the title, in one line. */
    String title();

    /** Returns the statements that create the program's tables. */
    List<String> tables();

    /** Returns how many threads use the program at once. */
    default int threads() {
        return THREADS;
    }

    /** Returns the round trip of the simulated network; zero for none. */
    default Duration roundTrip() {
        return Duration.ZERO;
    }

    /**
     * Runs the program.
     *
     * @param dataSource a pool with a connection for each of the {@link #threads}
     * @return a description of the result, in lines
     * @throws IllegalStateException if the result is wrong
     * @throws Exception if a thread failed
     */
    List<String> run(DataSource dataSource) throws Exception;
}
