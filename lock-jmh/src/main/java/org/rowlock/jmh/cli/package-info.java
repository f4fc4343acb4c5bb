/**
 * The commands of the jar: their options, what they say before and while they work, and how they end. Start at
 * {@link Program}.
 */
@NullMarked
package org.rowlock.jmh.cli;

import org.jspecify.annotations.NullMarked;
