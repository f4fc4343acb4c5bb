/**
 * The commands of the jar: their options, their output before and during the work, and how they end. Start at
 * {@link Program}.
 */
@NullMarked
package org.rowlock.jmh.cli;

import org.jspecify.annotations.NullMarked;
