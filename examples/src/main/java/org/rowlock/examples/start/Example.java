package org.rowlock.examples.start;

import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A program to copy, with tables to work on and many threads that use it at once. */
interface Example {
    /** What it is, in a line. */
    String title();

    /** The statements that make its tables. */
    List<String> tables();

    /**
     * Runs it.
     *
     * @param dataSource has a connection for each of {@link Crew#THREADS} threads
     * @return what happened, in lines
     * @throws IllegalStateException if what happened must never happen
     */
    List<String> run(DataSource dataSource) throws SQLException;
}
