/**
 * Turns the results of a comparison into something to decide by: one HTML page that opens offline, JMH's own JSON, and a
 * summary for the terminal. Start at {@link Report}. All words of a verdict come from the results; {@link Finding} says
 * what counts as a gain or a loss.
 */
@NullMarked
package org.rowlock.jmh.report;

import org.jspecify.annotations.NullMarked;
