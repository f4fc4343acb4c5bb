/** Triggers that reject or record writers that do not lock. Start at {@link org.rowlock.guard.RowLockGuard}. */
module org.rowlock.guard {
    requires transitive java.sql;
    requires transitive org.rowlock.core;
    requires static transitive org.jspecify;

    exports org.rowlock.guard;
}
