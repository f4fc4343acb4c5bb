package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;

/** Reads something from the server, in a read-only transaction that somebody else begins and ends. */
@FunctionalInterface
interface Probe<T> {
    T read(Connection connection) throws SQLException;
}
