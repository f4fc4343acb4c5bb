/** Starts the programs to copy, each on a PostgreSQL of its own: {@code ./mvnw -Pexample -Dexample=transfer}. */
@NullMarked
package org.rowlock.examples.start;

import org.jspecify.annotations.NullMarked;
