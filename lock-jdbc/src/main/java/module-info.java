/**
 * The drop-in: every statement and every row lock stays, only the way contenders queue changes. Start at
 * {@link org.rowlock.jdbc.RowlockDataSource}.
 */
@SuppressWarnings("requires-automatic") // The driver says its name in its manifest only.
module org.rowlock.jdbc {
    requires transitive java.sql;
    requires java.management;
    requires jdk.jfr;
    requires org.postgresql.jdbc;
    requires transitive org.rowlock.core;
    requires static transitive org.jspecify;

    exports org.rowlock.jdbc;

    provides java.sql.Driver with
            org.rowlock.jdbc.RowlockDriver;
}
