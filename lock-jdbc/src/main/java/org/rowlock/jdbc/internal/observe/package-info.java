/** The figures of the drop-in: counters for each table, hot rows, and events of the Flight Recorder. */
@NullMarked
package org.rowlock.jdbc.internal.observe;

import org.jspecify.annotations.NullMarked;
