/**
 * PostgreSQL advisory locks as a drop-in replacement for {@code SELECT ... FOR UPDATE}.
 *
 * <p>The way of a key through the rooms inside is one direction: {@code text} (what PostgreSQL calls ids, names, types
 * and errors), {@code queue} (waiting in this JVM), {@code request} (what is asked), {@code sql} (its statements),
 * {@code session} (one connection), {@code commit} (the end of a transaction), {@code acquire} (taking the locks) and
 * {@code verify} (proving that they exclude).
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
