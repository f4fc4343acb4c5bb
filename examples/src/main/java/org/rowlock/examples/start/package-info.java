/** Starts the programs to copy, each on a PostgreSQL of its own: {@code ./rowlock example transfer}. */
@NullMarked
package org.rowlock.examples.start;

import org.jspecify.annotations.NullMarked;
