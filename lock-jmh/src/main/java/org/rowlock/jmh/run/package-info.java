/** Runs scenarios with JMH, the variants in turn, and gathers the results. Start at {@link RunResults}. */
@NullMarked
package org.rowlock.jmh.run;

import org.jspecify.annotations.NullMarked;
