/**
 * Runs scenarios with JMH, the variants in turn, and makes one model of what they came to. Start at {@link Comparison}.
 */
@NullMarked
package org.rowlock.jmh.run;

import org.jspecify.annotations.NullMarked;
