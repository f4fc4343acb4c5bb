/** Runs scenarios with JMH, and compares the variants of each scenario. Start at {@link Comparison}. */
@NullMarked
package org.rowlock.jmh.run;

import org.jspecify.annotations.NullMarked;
