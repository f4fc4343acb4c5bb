/** One session of the server: the driver's connection, and what Rowlock itself asks the server on it. */
@NullMarked
package org.rowlock.jdbc.internal.session;

import org.jspecify.annotations.NullMarked;
