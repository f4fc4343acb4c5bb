/**
 * Compares ways to run one transaction: each API of Rowlock, and hand-written SQL. Each way is called a door. All doors
 * share one JVM and run in short slices, because the speed of a machine drifts. JMH would start a JVM for each variant,
 * so JMH is not used here. Start at {@link DoorRun}.
 */
@NullMarked
package org.rowlock.jmh.doors;

import org.jspecify.annotations.NullMarked;
