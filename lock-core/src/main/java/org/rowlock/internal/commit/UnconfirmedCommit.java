package org.rowlock.internal.commit;

import java.sql.SQLException;

/**
 * A transaction has committed on this server and is visible, and whether it outlasts a crash or a failover is not
 * known. The SQLSTATE is that of what ended the wait: an error's, or 01000 of the warning about the standby.
 */
public final class UnconfirmedCommit extends SQLException {
    private static final long serialVersionUID = 1;

    private final SQLException ended;

    UnconfirmedCommit(SQLException ended) {
        super(
                "The transaction has committed on this server and is visible, but the wait until it is durable was"
                        + " ended ("
                        + ended.getMessage()
                        + "): a crash or a failover can still lose it. Do not run it again.",
                ended.getSQLState(),
                ended);
        this.ended = ended;
    }

    /** What ended the wait: an error, or a warning of the server's. */
    SQLException ended() {
        return ended;
    }
}
