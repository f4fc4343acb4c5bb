/**
 * The connection of the application: its use by other threads ({@code DriverAccess}), the state that its statements
 * leave behind ({@code SessionIdentity}), and its part in groups ({@code StatementMember}).
 */
@NullMarked
package org.rowlock.jdbc.internal.session;

import org.jspecify.annotations.NullMarked;
