package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.rowlock.internal.sql.CitusForms;

/**
 * The databases that have Citus, whose tables may lie on other machines. Found out by the way, when a table is looked
 * up or locks are verified; until then, and wherever there is none, it costs a look at an empty set.
 */
public final class CitusDatabases {
    /** An expression that reports it, by the function that {@link CitusForms} need. */
    public static final String IS_CITUS = "pg_catalog.to_regproc('pg_catalog.create_intermediate_result') is not null";

    private final Set<String> urls = ConcurrentHashMap.newKeySet();

    public void add(PgSession session) throws SQLException {
        urls.add(session.database());
    }

    public boolean contains(PgSession session) throws SQLException {
        return !urls.isEmpty() && urls.contains(session.database());
    }
}
