/** The figures of the drop-in: counters for each table, and hot rows. */
@NullMarked
package org.rowlock.jdbc.internal.observe;

import org.jspecify.annotations.NullMarked;
