package org.rowlock.internal.session;

import java.sql.Connection;

/**
 * A connection of the drop-in. Rowlock finds the driver's connection through this interface, because {@code unwrap} is
 * only for applications that use the driver's connection themselves.
 */
public interface ForwardingSession {
    /** Returns the connection to which this connection forwards. */
    Connection target();
}
