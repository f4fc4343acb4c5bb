/** What is counted and shown: figures by table, hot rows, events of the Flight Recorder, JMX. */
@NullMarked
package org.rowlock.jdbc.internal.observe;

import org.jspecify.annotations.NullMarked;
