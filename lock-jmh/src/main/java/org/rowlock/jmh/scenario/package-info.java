/**
 * What can be run by name: which benchmark, over which points, in which variants, what is read from its results, and how
 * it is to be looked at. Start at {@link Scenarios}.
 */
@NullMarked
package org.rowlock.jmh.scenario;

import org.jspecify.annotations.NullMarked;
