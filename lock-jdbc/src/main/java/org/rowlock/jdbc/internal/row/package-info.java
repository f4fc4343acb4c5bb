/** Finds the row that a statement locks from its text, its values and the primary key of its table. */
@NullMarked
package org.rowlock.jdbc.internal.row;

import org.jspecify.annotations.NullMarked;
