/**
 * One transaction by every way that a user has, in one JVM. Start at {@link DoorRun}. JMH starts a JVM for each
 * variant. The doors have to share one, in slices shorter than a machine drifts, so this package does not use JMH.
 */
@NullMarked
package org.rowlock.jmh.doors;

import org.jspecify.annotations.NullMarked;
