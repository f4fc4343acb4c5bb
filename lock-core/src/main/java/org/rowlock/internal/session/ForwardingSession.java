package org.rowlock.internal.session;

import java.sql.Connection;

/**
 * A connection of Rowlock's drop-in. Through this interface Rowlock itself finds the driver's connection. Only the
 * drop-in's {@code unwrap} shows that the application may use that connection without Rowlock's knowledge.
 */
public interface ForwardingSession {
    /** Returns the connection to which this connection forwards. */
    Connection target();
}
