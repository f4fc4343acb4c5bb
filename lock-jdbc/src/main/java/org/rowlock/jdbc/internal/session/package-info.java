/** One session of the server: the driver's connection, and what is asked of the server behind the application's back. */
@NullMarked
package org.rowlock.jdbc.internal.session;

import org.jspecify.annotations.NullMarked;
