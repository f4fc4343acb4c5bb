package org.rowlock.jdbc.internal.group;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.jdbc.internal.session.DriverAccess;
import org.rowlock.jdbc.internal.statement.SessionEffect;

/**
 * Whether a session is as it was when its connection was made, so that what one such session does is what another would
 * have done. Knows only what goes through us: so nothing of ours may have been handed out, and nobody may be between us
 * and the driver. In doubt it is altered.
 */
public final class GroupSession {
    /**
     * Its user, where it is, and with which settings; no row above READ COMMITTED. What the file of the server or its
     * defaults say is the same for all.
     */
    private static final String LOOK = "select pg_catalog.concat_ws(' ', current_user, session_user,"
            + " pg_catalog.current_database(), pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(),"
            + " pg_catalog.pg_postmaster_start_time(), (select pg_catalog.string_agg(s.name || '=' || s.setting, ','"
            + " order by s.name) from pg_catalog.pg_settings as s"
            + " where s.source not in ('default', 'configuration file', 'override')"
            + " and s.name !~ '^(default_)?transaction_'))"
            + " where pg_catalog.current_setting('transaction_isolation') in ('read committed', 'read uncommitted')";

    private final @Nullable Object origin;
    private volatile boolean altered;
    private volatile boolean handedOut;
    private volatile boolean readsCommitted = true;
    private boolean cleaning;
    private @Nullable String look;
    private @Nullable Identity identity;

    /**
     * What must be equal of two sessions.
     *
     * @param origin the URL and the properties of the connection
     * @param look what the server says
     * @param reported what the server reports when it changes
     */
    record Identity(Object origin, String look, Map<String, String> reported, int networkTimeout) {}

    /** @param origin what its connection was made of, to be equal to that of another; null if nobody knows */
    public GroupSession(@Nullable Object origin) {
        this.origin = origin;
    }

    /** Whether it never goes with others. */
    public boolean isAlone() {
        return origin == null;
    }

    /** A statement is about to be sent. */
    public void runs(SessionEffect effect) {
        altered |= effect == SessionEffect.ALTERS;
        cleaning = effect == SessionEffect.CLEANS;
    }

    /** The server has answered to the statement. */
    public void ran(boolean done) {
        if (cleaning && done) {
            altered = false;
            look = null;
        }
        cleaning = false;
    }

    /** Something went to the server that is no statement. */
    public void alter() {
        altered = true;
    }

    /** Somebody has the driver's own objects, for good. */
    public void handOut() {
        handedOut = true;
    }

    /** The isolation was set. */
    public void isolation(int level) {
        readsCommitted =
                level == Connection.TRANSACTION_READ_COMMITTED || level == Connection.TRANSACTION_READ_UNCOMMITTED;
    }

    /** Whether a statement of it is a transaction in one flush, of which nothing is kept at the server or here. */
    boolean isReady(DriverAccess access) throws SQLException {
        BaseConnection driver = access.driver();
        return !altered
                && !handedOut
                && readsCommitted
                && !driver.isClosed()
                && driver.getAutoCommit()
                && !driver.isReadOnly()
                && access.isIdle()
                && driver.getAutosave() == AutoSave.NEVER
                && driver.getPreferQueryMode() != PreferQueryMode.SIMPLE;
    }

    /** Null if it does not go with others. */
    @Nullable
    Identity identity(DriverAccess access) throws SQLException {
        if (origin == null || !isReady(access)) {
            return null;
        }
        String known = look;
        if (known == null) {
            known = access.ask(GroupSession::look);
            look = known;
            identity = null;
        }
        Identity last = identity;
        Map<String, String> reported = access.driver().getParameterStatuses();
        int timeout = access.driver().getNetworkTimeout();
        if (last == null || last.networkTimeout != timeout || !last.reported.equals(reported)) {
            last = known.isEmpty() ? null : new Identity(origin, known, Map.copyOf(reported), timeout);
            identity = last;
        }
        return last;
    }

    private static String look(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LOOK)) {
            return row.next() ? row.getString(1) : "";
        }
    }
}
