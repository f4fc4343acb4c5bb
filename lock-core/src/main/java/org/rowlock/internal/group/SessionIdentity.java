package org.rowlock.internal.group;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.text.SessionEffect;

/**
 * Records whether a session is unaltered since its connection was created. Unaltered sessions with equal properties can
 * do each other's work. Only calls through Rowlock are recorded. Therefore a session never shares work if the
 * application uses the driver's own objects, or if a wrapper is between Rowlock and the driver.
 */
public final class SessionIdentity {
    private final DriverAccess access;

    /**
     * The URL and properties of the connection; null if they are unknown, or if the application may have altered the
     * session.
     */
    private volatile @Nullable Object origin;

    private volatile boolean readsCommitted = true;

    /** See {@link Equal#look}; null until it is read. */
    private @Nullable String look;

    private @Nullable Equal equal;

    /** The values of {@link Equal#reported}, which the driver replaces and does not modify. */
    private List<String> reported = List.of();

    /**
     * The properties that must be equal in sessions that share a transaction.
     *
     * @param look a text with the server and the settings of the session: the result of {@link GroupRule#MEMBER_QUERY}
     * @param reported the settings that the server reports when they change
     */
    public record Equal(Object origin, String look, Map<String, String> reported, int networkTimeout) {
        @Override
        public int hashCode() {
            // The hash of a String is computed only once.
            return look.hashCode();
        }
    }

    public SessionIdentity(DriverAccess access, @Nullable Object origin) {
        this.access = access;
        this.origin = origin;
    }

    public boolean isAlone() {
        return origin == null;
    }

    public void runs(SessionEffect effect) {
        if (effect == SessionEffect.ALTERS) {
            alter();
        }
    }

    /** Records that the application has altered the session, or uses the driver's own objects. */
    public void alter() {
        origin = null;
    }

    public void isolation(int level) {
        readsCommitted =
                level == Connection.TRANSACTION_READ_COMMITTED || level == Connection.TRANSACTION_READ_UNCOMMITTED;
    }

    /** Whether the session is unaltered, in READ COMMITTED, and in autocommit without an open transaction. */
    boolean isReady() throws SQLException {
        return origin != null && readsCommitted && access.isPlainAutocommit();
    }

    /**
     * Returns the properties to compare, or null if the session cannot share a transaction now.
     *
     * @param shared returns the same object for equal properties, so that they are compared quickly
     */
    @Nullable
    public Equal equal(SharedTransactions shared) throws SQLException {
        Object made = origin;
        if (made == null || !isReady()) {
            return null;
        }
        String known = look;
        if (known == null) {
            known = access.query(GroupRule.MEMBER_QUERY);
            look = known;
            equal = null;
        }
        Equal last = equal;
        Map<String, String> settings = access.session().reported();
        List<String> values = List.copyOf(settings.values());
        int timeout = access.driver().getNetworkTimeout();
        if (last == null || last.networkTimeout != timeout || !reported.equals(values)) {
            last = known.isEmpty() ? null : shared.same(new Equal(made, known, Map.copyOf(settings), timeout));
            equal = last;
            reported = values;
        }
        return last;
    }

    /**
     * Whether the session is usable and idle. After an error, true means that the server has rolled back the whole
     * batch.
     */
    boolean isUsable() throws SQLException {
        return access.session().isAlive() && access.isIdle();
    }
}
