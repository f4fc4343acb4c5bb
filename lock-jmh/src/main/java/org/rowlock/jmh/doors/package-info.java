/**
 * One transaction by every way that a user has, in one JVM. Start at {@link DoorRun}. JMH starts a JVM for each
 * variant, and what is compared here has to share one,
 * in slices shorter than a machine drifts; so it stands beside JMH.
 */
@NullMarked
package org.rowlock.jmh.doors;

import org.jspecify.annotations.NullMarked;
