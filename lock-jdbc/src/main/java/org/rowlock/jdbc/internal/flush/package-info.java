/** The writes that wait for the COMMIT of their transaction. */
@NullMarked
package org.rowlock.jdbc.internal.flush;

import org.jspecify.annotations.NullMarked;
