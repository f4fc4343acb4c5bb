package org.rowlock.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.sql.GroupSql;
import org.rowlock.internal.text.SessionEffect;

/**
 * Whether a session is as it was when its connection was made, so that what one such session does is what another would
 * have done. Knows only what goes through Rowlock: so nothing of the driver's may have been handed out, and nobody may
 * be between Rowlock and the driver. In doubt it is altered.
 */
public final class SessionIdentity {
    private final DriverAccess access;

    /** Null if it is not known, or the application has the driver's own objects. */
    private volatile @Nullable Object origin;

    private volatile boolean altered;
    private volatile boolean readsCommitted = true;
    private boolean cleaning;
    private @Nullable String look;
    private @Nullable Equal equal;

    /**
     * What must be equal of two sessions.
     *
     * @param origin the URL and the properties of the connection
     * @param look what the server says
     * @param reported what the server reports when it changes
     */
    public record Equal(Object origin, String look, Map<String, String> reported, int networkTimeout) {}

    /** @param origin what its connection was made of, to be equal to that of another; null if it is not known */
    public SessionIdentity(DriverAccess access, @Nullable Object origin) {
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

    /** The application has the driver's own objects, for good. */
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
    public Equal equal() throws SQLException {
        Object made = origin;
        if (made == null || !isReady()) {
            return null;
        }
        String known = look;
        if (known == null) {
            known = access.ask(GroupSql.LOOK_AT_MEMBER);
            look = known;
            equal = null;
        }
        Equal last = equal;
        Map<String, String> reported = access.session().reported();
        int timeout = access.driver().getNetworkTimeout();
        if (last == null || last.networkTimeout != timeout || !last.reported.equals(reported)) {
            last = known.isEmpty() ? null : new Equal(made, known, Map.copyOf(reported), timeout);
            equal = last;
        }
        return last;
    }

    /** Whether the server has rolled back what one flush began, and the session goes on. */
    boolean isUsable() throws SQLException {
        return access.session().isAlive() && access.isIdle();
    }
}
