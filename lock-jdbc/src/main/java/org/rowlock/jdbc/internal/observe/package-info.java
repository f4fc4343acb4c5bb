/** The figures that are counted and shown: figures by table, hot rows, events of the Flight Recorder. */
@NullMarked
package org.rowlock.jdbc.internal.observe;

import org.jspecify.annotations.NullMarked;
