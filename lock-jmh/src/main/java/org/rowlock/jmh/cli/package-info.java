/** The commands of the jar: options, output and exit status. Start at {@link Program}. */
@NullMarked
package org.rowlock.jmh.cli;

import org.jspecify.annotations.NullMarked;
