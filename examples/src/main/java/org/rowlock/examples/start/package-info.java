/** Starts the programs to copy, each on its own PostgreSQL: {@code ./rowlock example transfer}. */
@NullMarked
package org.rowlock.examples.start;

import org.jspecify.annotations.NullMarked;
