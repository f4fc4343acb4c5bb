package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.rowlock.internal.session.CitusDatabases;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.LockScripts;

/** The scripts for a session's database. */
final class Scripts {
    private final CitusDatabases citus;
    private final LockScripts ofPostgres = new LockScripts();
    private final LockScripts ofCitus = LockScripts.forCitus();

    Scripts(CitusDatabases citus) {
        this.citus = citus;
    }

    LockScripts of(PgSession session) throws SQLException {
        return areForCitus(session) ? ofCitus : ofPostgres;
    }

    boolean areForCitus(PgSession session) throws SQLException {
        return citus.contains(session);
    }
}
