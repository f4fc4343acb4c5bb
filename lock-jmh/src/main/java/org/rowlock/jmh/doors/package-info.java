/**
 * Measures one transaction by each API that a user has, and by hand-written SQL. A door is one way of running this
 * benchmark transaction: an API, or SQL by hand. All doors share one JVM and run in short slices, because the speed of
 * a machine drifts. JMH would start a JVM for each variant, so JMH is not used here. Start at {@link DoorRun}.
 */
@NullMarked
package org.rowlock.jmh.doors;

import org.jspecify.annotations.NullMarked;
