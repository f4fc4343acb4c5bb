/**
 * PostgreSQL advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>A key goes through the rooms inside in one direction: {@code text} (what PostgreSQL calls ids, names, types and
 * errors), {@code queue} (waiting in this JVM), {@code request} (what a call locks), {@code sql} (its statements),
 * {@code session} (one connection), {@code commit} (the end of a transaction), {@code observe} (listeners and the
 * flight recorder), {@code acquire} (taking the locks), {@code group} (several callers in one transaction),
 * {@code verify} (proving that locks exclude) and {@code access} (what the other modules use).
 */
@SuppressWarnings({"requires-automatic", "module"
}) // The driver says its name in its manifest only; lock-jdbc is built later.
module org.rowlock.core {
    requires transitive java.sql;
    requires jdk.jfr;
    requires org.postgresql.jdbc;
    requires static transitive org.jspecify;

    exports org.rowlock;
    exports org.rowlock.internal.access to
            org.rowlock.spring;
    exports org.rowlock.internal.commit to
            org.rowlock.jdbc;
    exports org.rowlock.internal.group to
            org.rowlock.jdbc;
    exports org.rowlock.internal.queue to
            org.rowlock.jdbc;
    exports org.rowlock.internal.request to
            org.rowlock.jdbc,
            org.rowlock.spring;
    exports org.rowlock.internal.session to
            org.rowlock.jdbc;
    exports org.rowlock.internal.text to
            org.rowlock.jdbc,
            org.rowlock.spring;
}
