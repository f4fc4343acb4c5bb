package org.rowlock.jdbc.programs;

import java.util.List;
import javax.sql.DataSource;

/** A program that knows nothing of Rowlock. */
public interface Program {
    /**
     * Makes its tables in an empty schema, works with them, also from several threads, and tells what came out: nothing
     * that depends on time or on who was first.
     */
    List<String> run(DataSource dataSource) throws Exception;
}
