/**
 * Measures one transaction through each API that a user has, called a door, in one JVM. Start at {@link DoorRun}. JMH
 * is not used, because it starts a JVM for each variant. The doors have to share one JVM and take short turns, because
 * the speed of a machine drifts.
 */
@NullMarked
package org.rowlock.jmh.doors;

import org.jspecify.annotations.NullMarked;
