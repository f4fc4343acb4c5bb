package org.rowlock.jdbc.programs;

import java.util.List;
import javax.sql.DataSource;

/** A program that knows nothing of Rowlock. */
public interface Program {
    /**
     * Creates its tables in an empty schema and works with them, also from several threads. Returns the outcome,
     * without anything that depends on time or on the order of threads.
     */
    List<String> run(DataSource dataSource) throws Exception;
}
