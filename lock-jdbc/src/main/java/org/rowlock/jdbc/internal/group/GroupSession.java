package org.rowlock.jdbc.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.jdbc.internal.session.DriverAccess;

/**
 * Whether a session is as it was when its connection was made, so that what one such session does is what another would
 * have done. Knows only what goes through us: so nothing of ours may have been handed out, and nobody may be between us
 * and the driver. In doubt it is altered.
 */
public final class GroupSession {
    /** Its server and what a write may depend on; no row above READ COMMITTED, and if it was altered. */
    private static final String LOOK = "select pg_catalog.concat_ws(' ', pg_catalog.current_database(),"
            + " pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(), pg_catalog.pg_postmaster_start_time(), "
            + GroupRule.SESSION + ") where " + GroupRule.UNALTERED
            + " and pg_catalog.current_setting('transaction_isolation') in ('read committed', 'read uncommitted')";

    final DriverAccess access;

    /** Null where nobody knows, or somebody has the driver's own objects. */
    private volatile @Nullable Object origin;

    private volatile boolean altered;
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
    public GroupSession(DriverAccess access, @Nullable Object origin) {
        this.access = access;
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
        origin = null;
    }

    /** The isolation was set. */
    public void isolation(int level) {
        readsCommitted =
                level == Connection.TRANSACTION_READ_COMMITTED || level == Connection.TRANSACTION_READ_UNCOMMITTED;
    }

    /** Whether a statement of it is a transaction in one flush, of which nothing is kept at the server or here. */
    boolean isReady() throws SQLException {
        return origin != null && !altered && readsCommitted && access.isPlainAutocommit();
    }

    /** Null if it does not go with others. */
    @Nullable
    Identity identity() throws SQLException {
        Object made = origin;
        if (made == null || !isReady()) {
            return null;
        }
        String known = look;
        if (known == null) {
            known = access.ask(LOOK);
            look = known;
            identity = null;
        }
        Identity last = identity;
        Map<String, String> reported = access.driver().getParameterStatuses();
        int timeout = access.driver().getNetworkTimeout();
        if (last == null || last.networkTimeout != timeout || !last.reported.equals(reported)) {
            last = known.isEmpty() ? null : new Identity(made, known, Map.copyOf(reported), timeout);
            identity = last;
        }
        return last;
    }
}
