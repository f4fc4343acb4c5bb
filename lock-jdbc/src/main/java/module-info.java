/**
 * The drop-in, which queues the locking statements of an unchanged program. Every statement still acquires its row
 * lock. Start at {@link org.rowlock.jdbc.RowlockDataSource}.
 */
@SuppressWarnings("requires-automatic") // The driver's module name is only in its manifest.
module org.rowlock.jdbc {
    requires transitive java.sql;
    requires java.management;
    requires org.postgresql.jdbc;
    requires transitive org.rowlock.core;
    requires static transitive org.jspecify;

    exports org.rowlock.jdbc;

    provides java.sql.Driver with
            org.rowlock.jdbc.RowlockDriver;
}
