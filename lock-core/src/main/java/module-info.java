/**
 * Locks rows with PostgreSQL's row locks, with advisory locks, or with both.
 *
 * <p>Each internal package uses only the packages before it in this list:
 *
 * <ol>
 *   <li>{@code text}: ids, names, types and errors of PostgreSQL
 *   <li>{@code value}: the implementations of the API's value types
 *   <li>{@code queue}: the threads that wait in this JVM
 *   <li>{@code request}: the keys and modes of a call
 *   <li>{@code sql}: the statements of a call
 *   <li>{@code session}: one connection
 *   <li>{@code commit}: the end of a transaction
 *   <li>{@code observe}: listeners and the flight recorder
 *   <li>{@code acquire}: the loop that acquires the locks
 *   <li>{@code group}: several callers in one transaction
 *   <li>{@code verify}: the check that locks exclude each other
 *   <li>{@code access}: the entry point of Rowlock's other modules
 * </ol>
 */
@SuppressWarnings({"requires-automatic", "module"
}) // The driver's module name is only in its manifest, and lock-jdbc is compiled after this module.
module org.rowlock.core {
    requires transitive java.sql;
    requires jdk.jfr;
    requires org.postgresql.jdbc;
    requires static transitive org.jspecify;

    exports org.rowlock;
    exports org.rowlock.internal.access to
            org.rowlock.spring;
    exports org.rowlock.internal.acquire to
            org.rowlock.spring;
    exports org.rowlock.internal.commit to
            org.rowlock.jdbc;
    exports org.rowlock.internal.group to
            org.rowlock.jdbc;
    exports org.rowlock.internal.observe to
            org.rowlock.jdbc;
    exports org.rowlock.internal.queue to
            org.rowlock.jdbc,
            org.rowlock.spring;
    exports org.rowlock.internal.request to
            org.rowlock.jdbc,
            org.rowlock.spring;
    exports org.rowlock.internal.session to
            org.rowlock.jdbc;
    exports org.rowlock.internal.text to
            org.rowlock.jdbc,
            org.rowlock.spring;
    exports org.rowlock.internal.value to
            org.rowlock.jdbc,
            org.rowlock.spring;
}
