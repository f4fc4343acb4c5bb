/** Runs scenarios with JMH, the variants in turn, and builds one model of the results. Start at {@link Comparison}. */
@NullMarked
package org.rowlock.jmh.run;

import org.jspecify.annotations.NullMarked;
